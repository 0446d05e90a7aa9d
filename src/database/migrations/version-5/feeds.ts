/** Atom and JSON feeds, each at an address with a secret. */
export const feeds: readonly string[] = [
  `create table feeds (
    id uuid primary key default gen_random_uuid(),
    account_id uuid not null references accounts,
    kind text not null check (kind in ('topic', 'watch', 'search')),
    name text not null,
    topic text,
    watch_id uuid references watches on delete cascade,
    query text,
    -- Of a search; the grammar of lists of requests.
    filters jsonb,
    -- SHA-256 of the secret, in hex. The secret itself is never stored.
    secret_hash text not null unique,
    -- The first characters of the secret, so that people can tell their feeds apart.
    hint text not null,
    -- Of the ids of its entries: they stay the same when PUBLIC_URL changes.
    authority text not null,
    created_at timestamptz not null,
    last_read_at timestamptz,
    -- A hash of what it showed last, and since when: Last-Modified, which a purge changes, too.
    content_hash text,
    content_changed_at timestamptz,
    check ((kind = 'topic') = (topic is not null) and (kind = 'watch') = (watch_id is not null) and (kind = 'search') = (query is not null))
  )`,
  'create index feeds_account on feeds (account_id, created_at)',
  'create index feeds_watch on feeds (watch_id) where watch_id is not null',
]
