/** What people said about requests, and what a model said. */
export const corrections: readonly string[] = [
  // Durable: it outlives the request, and applies again when the request is collected again. Without an account it is the operator's
  // and holds for all. The hash is that of the request's id on its platform (store/identity.ts).
  `create table request_corrections (
    account_id uuid references accounts,
    platform text not null,
    source_hash text not null,
    -- Of the stored request; a trigger sets it when the request is collected again. No foreign key: the id of a deleted request belongs
    -- to no other one, so the correction stays and refers to nothing.
    request_id uuid,
    is_request boolean not null,
    -- The key or the session that made it, for audits: 'key <id>', 'session <id>' or 'admin'.
    made_by text not null,
    created_at timestamptz not null,
    unique nulls not distinct (source_hash, account_id)
  )`,
  'create index request_corrections_account on request_corrections (account_id, created_at)',
  // The hash is that of hashIdentity() in store/identity.ts for the kind "id". Without corrections an insert costs one probe.
  `create function link_request_corrections() returns trigger language plpgsql
    set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
    begin
      if exists (select from request_corrections) then
        update request_corrections set request_id = fresh.id from new_requests as fresh
        where source_hash = encode(sha256(
          convert_to(fresh.platform, 'UTF8') || '\\x00696400'::bytea || convert_to(fresh.source_id, 'UTF8')), 'hex');
      end if;
      return null;
    end $$`,
  `create trigger link_request_corrections after insert on requests referencing new table as new_requests
    for each statement execute function link_request_corrections()`,
  'alter table accounts add column corrections integer not null default 0 check (corrections between 0 and 10000)',

  // The confidence that a model gave to a text of the class maybe. It counts as long as the text has this hash.
  `create table request_judgements (
    request_id uuid primary key references requests on delete cascade,
    text_hash text not null,
    confidence real not null check (confidence between 0 and 1),
    judged_at timestamptz not null
  )`,
  // Which texts were sent to the model without an answer that could be stored, and when they may be sent again. A text is claimed here
  // before it is sent, so that two processes do not send it at the same time.
  `create table judgement_tries (
    request_id uuid primary key references requests on delete cascade,
    text_hash text not null,
    tries integer not null check (tries > 0),
    next_try_at timestamptz not null
  )`,
  // What is judged next.
  'create index requests_top_maybe on requests (votes desc, id desc) where standing = 1',
  // How many texts were sent to the model on a UTC day, by all processes.
  `create table judgement_days (
    day date primary key,
    judged integer not null check (judged >= 0)
  )`,
]
