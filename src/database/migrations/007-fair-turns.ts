import { type Kysely, sql } from 'kysely'

const statements = [
  // A job of nobody collects for several callers at once, who pay for their calls: it stands in no account's line.
  'alter table scrape_jobs alter column account_id drop not null',

  // Null while the job waits in its account's line, and until its last task has ended.
  'alter table scrape_jobs add column begun_at timestamptz',
  'alter table scrape_jobs add column ended_at timestamptz',
  `update scrape_jobs set begun_at = created_at, ended_at = (
    select case when bool_and(state not in ('pending', 'running')) then max(completed_at) end
    from scrape_tasks where job_id = scrape_jobs.id)`,
  'create index scrape_jobs_open on scrape_jobs (account_id, created_at, id) where ended_at is null',

  // The tasks that are queued or in work, by their entry: what a free place chooses from.
  `create index scrape_tasks_queued on scrape_tasks (queue_job_id)
    where state in ('pending', 'running') and queue_job_id is not null`,

  // When each account was last given a place: of those with as many tasks in work, it is the turn of who waited longest.
  'create sequence scrape_turn',
  `create table scrape_turns (
    account_id uuid primary key references accounts,
    turn bigint not null
  ) with (fillfactor = 50)`,
]

export async function up(database: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(database)
}
