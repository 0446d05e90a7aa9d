-- What a watch knows and what it reported; feeds.

-- The requests that jobs of the watch found, by the hash of their id on their platform: it survives their expiry. A purge deletes it.
create table watch_requests (
  watch_id uuid not null references watches on delete cascade,
  source_hash text not null,
  -- Of the stored request; of a deleted one, an id that no request has.
  request_id uuid not null,
  -- The most votes that a report counted; null while none of them had it: it was not likely, or did not pass the filters. Not null, either, of what
  -- the account was shown when it stopped being strict.
  votes integer,
  -- As of the last report that had it.
  status text,
  -- Its wish, in the view of the account, as of that report.
  wish_id uuid,
  -- Whether the last report had it. One that had it not takes it up again silently.
  is_present boolean not null default false,
  -- Whether it fits the goal of the watch; null: it was not judged.
  fits boolean,
  primary key (watch_id, source_hash)
);
create index watch_requests_request on watch_requests (request_id);
create index watch_requests_hash on watch_requests (source_hash, watch_id);

create table news_reports (
  id uuid primary key default gen_random_uuid(),
  watch_id uuid not null references watches on delete cascade,
  -- The report before it; null for the first one.
  since timestamptz,
  made_at timestamptz not null,
  -- 'judging': a model compares its new wishes with the goal, and nobody is shown it yet.
  state text not null check (state in ('judging', 'ready')),
  -- Each report of a watch has a later moment, so that it says what is read.
  ready_at timestamptz,
  -- How many it has of each kind: of very many it does not keep all.
  new_wishes integer not null,
  grown integer not null,
  completed integer not null,
  declined integer not null,
  rising integer not null,
  -- Whether the topic as a whole rises: voices, expected and chance, as of news_items.
  topic_rise jsonb,
  -- Its claim: a process judges it until that time.
  claimed_by uuid,
  claimed_until timestamptz,
  constraint news_reports_check check ((ready_at is null) = (state = 'judging'))
);
create unique index news_reports_ready on news_reports (watch_id, ready_at desc) where ready_at is not null;
create index news_reports_watch on news_reports (watch_id, made_at desc);
create index news_reports_judging on news_reports (made_at) where state = 'judging';
create index news_reports_made on news_reports (made_at);

-- Ids and numbers only: texts are read when they are shown.
create table news_items (
  report_id uuid not null references news_reports on delete cascade,
  kind text not null check (kind in ('new', 'grown', 'completed', 'declined', 'rising')),
  -- As of the report.
  wish_id uuid not null,
  -- What made it news; of very many the most voted ones.
  request_ids uuid[] not null,
  votes_gained integer not null,
  requests_gained integer not null,
  -- Whether it fits the goal; null: it was not judged, and is shown.
  fits boolean,
  -- The order of the report.
  position integer not null,
  -- Of a wish that rises: voices in seven days, how many its past leads to expect, and the probability of as many or more.
  voices integer,
  expected real,
  chance double precision,
  primary key (report_id, kind, wish_id),
  constraint news_items_check check ((kind = 'rising') = (voices is not null and expected is not null and chance is not null))
);

-- Until where the account has read the news of a watch.
create table news_reads (
  watch_id uuid primary key references watches on delete cascade,
  read_until timestamptz not null
);

-- How many texts were compared with goals by a model on a UTC day.
create table news_judgement_days (
  day date primary key,
  judged integer not null
);

create table feeds (
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
  -- The key that made it, and when that key expires: then the feed ends, too.
  made_by uuid references api_keys,
  expires_at timestamptz,
  last_read_at timestamptz,
  -- A hash of what it showed last, and since when: Last-Modified, which a purge changes, too.
  content_hash text,
  content_changed_at timestamptz,
  constraint feeds_check check (((kind = 'topic') = (topic is not null)) and ((kind = 'watch') = (watch_id is not null)) and ((kind = 'search') = (query is not null)))
);
create index feeds_account on feeds (account_id, created_at);
create index feeds_maker on feeds (made_by) where made_by is not null;
create index feeds_expiry on feeds (expires_at) where expires_at is not null;
create index feeds_watch on feeds (watch_id) where watch_id is not null;
