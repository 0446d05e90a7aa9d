/** Which known requests can be read again from their platform, and when. */
export const refresh: readonly string[] = [
  `create table request_refreshes (
    request_id uuid primary key references requests on delete cascade,
    platform text not null,
    -- What the adapter reads it by, such as a node id of GitHub.
    handle text not null,
    due_at timestamptz not null,
    checked_at timestamptz,
    -- On how many days in a row the platform did not return it.
    misses smallint not null default 0,
    missed_on date
  )`,
  'create index request_refreshes_due on request_refreshes (platform, due_at)',
]
