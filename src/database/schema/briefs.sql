-- Evidence briefs: what an account kept of what people want. Each part that holds a text or a number of a request, or of few, is a row of its own, so that the
-- deletion of the request takes it out.

create table briefs (
  id uuid primary key default gen_random_uuid(),
  account_id uuid not null references accounts,
  -- SHA-256 of the whole document as it was made, in hex.
  snapshot text not null,
  -- What the account asked.
  request jsonb not null,
  -- The document with {"part": n} in the place of each part.
  head jsonb not null,
  parts integer not null,
  created_at timestamptz not null
);
create index briefs_account on briefs (account_id, created_at);
create index briefs_snapshot on briefs (snapshot);

-- Without a foreign key to requests: deleteDerived() deletes the parts of what is deleted.
create table brief_parts (
  brief_id uuid not null references briefs on delete cascade,
  part integer not null,
  request_ids uuid[] not null,
  content jsonb not null,
  primary key (brief_id, part)
);
create index brief_parts_requests on brief_parts using gin (request_ids);
