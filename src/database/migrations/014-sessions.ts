import { type Kysely, sql } from 'kysely'

const statements = [
  // Somebody signed in at the page: an account, or the operator where there is none. Ends with the key that opened it.
  `create table sessions (
    id uuid primary key default gen_random_uuid(),
    token_hash text not null unique,
    account_id uuid references accounts,
    api_key_id uuid references api_keys,
    admin_key_hash text,
    created_at timestamptz not null,
    expires_at timestamptz not null,
    last_used_at timestamptz not null,
    check (num_nonnulls(api_key_id, admin_key_hash) = 1),
    check (account_id is not null or api_key_id is null)
  )`,
  'create index sessions_account on sessions (account_id, last_used_at desc)',
  'create index sessions_idle on sessions (last_used_at)',
  'create index sessions_key on sessions (api_key_id)',

  // Not used yet: using one deletes it.
  `create table sign_in_links (
    id uuid primary key default gen_random_uuid(),
    token_hash text not null unique,
    account_id uuid not null references accounts,
    admin_key_hash text not null,
    created_at timestamptz not null,
    expires_at timestamptz not null
  )`,
  'create index sign_in_links_account on sign_in_links (account_id, created_at)',
  'create index sign_in_links_expired on sign_in_links (expires_at)',

  // The operator pages through the jobs of all accounts.
  'create index scrape_jobs_page on scrape_jobs (created_at desc, id desc)',
]

export async function up(database: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(database)
}
