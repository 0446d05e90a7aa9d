import { type Kysely, sql } from 'kysely'

const statements = [
  // When a job ends at the latest. Those that are open already get the whole default once more.
  "alter table scrape_jobs add column expires_at timestamptz not null default now() + interval '6 hours'",
  'create index scrape_jobs_account_page on scrape_jobs (account_id, created_at desc, id desc)',
  'drop index scrape_jobs_account',

  // Counts the changes of a task that people can see: its followers know by it what they have seen.
  'alter table scrape_tasks add column revision integer not null default 0',
  // A trigger, so that no way of writing a task can forget to tell its followers. They hear of it when it has committed.
  `create function tell_of_scrape_task() returns trigger language plpgsql as $$
  begin
    new.revision := old.revision + 1;
    perform pg_notify('wishwell_tasks', new.job_id || ' ' || new.id || ' ' || new.state);
    return new;
  end $$`,
  `create trigger tell_of_scrape_task before update on scrape_tasks for each row
    when ((old.state, old.pages, old.requests_found, old.requests_created, old.waiting_until)
      is distinct from (new.state, new.pages, new.requests_found, new.requests_created, new.waiting_until))
    execute function tell_of_scrape_task()`,
]

export async function up(database: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(database)
}
