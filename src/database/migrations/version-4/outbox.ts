/** A trigger that notes the requests of a statement, in the transaction of the change and once in it; nothing while no consumer follows. */
const noteTrigger = (table: string, event: 'insert' | 'update' | 'delete') => `
  create trigger note_search_${event} after ${event} on ${table}
    referencing ${event === 'delete' ? 'old' : 'new'} table as changed
    for each statement execute function note_search_changes()`

/** The log of changes that search engines outside of the database follow. */
export const searchOutbox: readonly string[] = [
  // The requests that a transaction changed, created or deleted, in what an index has of them. Append-only: what all consumers read is deleted.
  `create table search_changes (
    transaction_id xid8 not null default pg_current_xact_id(),
    request_id uuid not null,
    noted_at timestamptz not null default now(),
    primary key (transaction_id, request_id)
  )`,
  // Who follows the log, and how far each has read it; one of several parts follows only the requests of its part.
  `create table search_consumers (
    name text primary key,
    -- Every change of a transaction that is complete in this snapshot was read.
    position pg_snapshot not null,
    part smallint not null default 0,
    parts smallint not null default 1 check (parts between 1 and 64 and part between 0 and parts - 1),
    -- The process that reads for it now, and until when no other one may.
    lease_owner uuid,
    lease_until timestamptz,
    -- Of one that copies all requests first, in the order of their ids: how far it is. Null when nothing is copied yet.
    copied_through uuid,
    is_copied boolean not null default false
  )`,

  // The indexes of requests in a cluster, of which searches read the one that serves. Each has consumers: a part of the requests each.
  `create table search_indexes (
    name text primary key,
    -- The name that stands for the index that serves, the same for all of them.
    alias text not null,
    state text not null check (state in ('creating', 'building', 'serving', 'retired')),
    -- The version of what the index has of a request.
    mapping integer not null,
    shards smallint not null,
    created_at timestamptz not null default now(),
    -- Since when it is in its state.
    state_since timestamptz not null default now()
  )`,
  `create function note_search_changes() returns trigger language plpgsql as $$
    begin
      if exists (select from search_consumers) then
        insert into search_changes (request_id) select request_id from changed on conflict do nothing;
      end if;
      return null;
    end $$`,
  noteTrigger('request_texts', 'insert'),
  noteTrigger('request_texts', 'update'),
  noteTrigger('request_texts', 'delete'),
  // Only the copies that really changed are updated.
  noteTrigger('request_facets', 'update'),
  noteTrigger('request_topics', 'insert'),
  noteTrigger('request_topics', 'delete'),
  noteTrigger('account_requests', 'insert'),
  noteTrigger('account_requests', 'update'),
  noteTrigger('account_requests', 'delete'),
]
