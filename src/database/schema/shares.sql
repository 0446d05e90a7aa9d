-- What accounts show to whoever has the address, without a key: a wish, a topic, a list of wishes or a brief.

create table shares (
  id uuid primary key default gen_random_uuid(),
  account_id uuid not null references accounts,
  -- One of the four.
  wish_id uuid,
  topic text,
  view jsonb,
  brief_id uuid references briefs on delete cascade,
  title text,
  with_notes boolean not null,
  -- SHA-256 of the token in its address, in hex. The token itself is never stored.
  token_hash text not null unique,
  hint text not null,
  created_at timestamptz not null,
  -- The key that made it, and for whom the link was made that opened the maker's session.
  made_by uuid references api_keys,
  person_name text,
  -- By its own terms, or when its maker expires.
  expires_at timestamptz not null,
  -- Written on the first read of a UTC day.
  last_opened_at timestamptz,
  constraint shares_check check (num_nonnulls(wish_id, topic, view, brief_id) = 1)
);
create index shares_account on shares (account_id, created_at);
create index shares_maker on shares (made_by) where made_by is not null;
create index shares_brief on shares (brief_id) where brief_id is not null;
create index shares_expiry on shares (expires_at);
