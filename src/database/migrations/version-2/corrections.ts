import { requestChangeTrigger } from '../version-1/change-trigger.ts'

/** What people said about requests, and what a model said. */
export const corrections: readonly string[] = [
  // Durable: it outlives the request, and applies again when the request is collected again. Without an account it is the operator's
  // and holds for all. The hash is that of the request's id on its platform (store/identity.ts).
  `create table request_corrections (
    account_id uuid references accounts,
    platform text not null,
    source_hash text not null,
    is_request boolean not null,
    -- The key or the session that made it, for audits: 'key <id>', 'session <id>' or 'admin'.
    made_by text not null,
    created_at timestamptz not null,
    unique nulls not distinct (source_hash, account_id)
  )`,
  'create index request_corrections_account on request_corrections (account_id, created_at)',
  // Records say whether they were corrected, also where that changed no standing.
  requestChangeTrigger('request_corrections'),
  'alter table accounts add column corrections integer not null default 0 check (corrections between 0 and 10000)',

  // The confidence that a model gave to a text of the class maybe. It counts as long as the text has this hash.
  `create table request_judgements (
    request_id uuid primary key references requests on delete cascade,
    text_hash text not null,
    confidence real not null check (confidence between 0 and 1),
    judged_at timestamptz not null
  )`,
  // How many texts were sent to the model on a UTC day, by all processes.
  `create table judgement_days (
    day date primary key,
    judged integer not null check (judged >= 0)
  )`,
]
