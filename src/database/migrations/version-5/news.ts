/** Plans are cached for the whole session: a plan made while the tables are small must not be a sequential scan. */
const planned = 'set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off'

/** What a watch knows, what it reported, and the event of a status that changed. */
export const news: readonly string[] = [
  // The requests that jobs of the watch found, by the hash of their id on their platform: it survives their expiry. A purge deletes it.
  `create table watch_requests (
    watch_id uuid not null references watches on delete cascade,
    source_hash text not null,
    -- Of the stored request; of a deleted one, an id that no request has.
    request_id uuid not null,
    -- The most votes that a report counted; null while none of them had it: it was not likely, or did not pass the filters.
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
  )`,
  'create index watch_requests_request on watch_requests (request_id)',
  'create index watch_requests_hash on watch_requests (source_hash, watch_id)',

  // A deleted watch takes them with it in the order of all that change several of them.
  `create function lock_watch_requests() returns trigger language plpgsql as $$
    begin
      perform from watch_requests where watch_id = old.id order by watch_id, source_hash for update;
      return old;
    end $$`,
  `create trigger lock_watch_requests before delete on watches for each row execute function lock_watch_requests()`,

  `create table news_reports (
    id uuid primary key default gen_random_uuid(),
    watch_id uuid not null references watches on delete cascade,
    -- The report before it; null for the first one.
    since timestamptz,
    made_at timestamptz not null,
    -- 'judging': a model compares its new wishes with the goal, and nobody is shown it yet.
    state text not null check (state in ('judging', 'ready')),
    -- Each report of a watch has a later moment, so that it says what is read.
    ready_at timestamptz check ((ready_at is null) = (state = 'judging')),
    -- How many it has of each kind: of very many it does not keep all.
    new_wishes integer not null,
    grown integer not null,
    completed integer not null,
    declined integer not null,
    -- A process judges it until then.
    claimed_until timestamptz
  )`,
  'create unique index news_reports_ready on news_reports (watch_id, ready_at desc) where ready_at is not null',
  'create index news_reports_watch on news_reports (watch_id, made_at desc)',
  `create index news_reports_judging on news_reports (made_at) where state = 'judging'`,
  'create index news_reports_made on news_reports (made_at)',

  // Ids and numbers only: texts are read when they are shown.
  `create table news_items (
    report_id uuid not null references news_reports on delete cascade,
    kind text not null check (kind in ('new', 'grown', 'completed', 'declined')),
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
    primary key (report_id, kind, wish_id)
  )`,

  // Until where the account has read the news of a watch.
  `create table news_reads (
    watch_id uuid primary key references watches on delete cascade,
    read_until timestamptz not null
  )`,

  // How many texts were compared with goals by a model on a UTC day.
  `create table news_judgement_days (
    day date primary key,
    judged integer not null
  )`,

  // The processes that report wait for this: a run of a watch has ended. Jobs of no watch pay nothing.
  `create function notify_ended_runs() returns trigger language plpgsql as $$
    begin
      perform pg_notify('wishwell_ended_runs', '');
      return null;
    end $$`,
  `create trigger notify_ended_runs after update of ended_at on scrape_jobs
    for each row when (new.watch_id is not null and new.ended_at is not null) execute function notify_ended_runs()`,
  `create trigger notify_ended_run after insert on scrape_jobs
    for each row when (new.watch_id is not null and new.ended_at is not null) execute function notify_ended_runs()`,

  // A status that changed is an event if a watch has the request or somebody marked its wish. Which accounts see it, is found when it is told.
  'create index wish_marks_wish on wish_marks (wish_id)',
  `create function note_status_change() returns trigger language plpgsql ${planned} as $$
    declare
      shared_wish uuid;
    begin
      if not exists (select from watch_requests where request_id = new.id and votes is not null) then
        select coalesce((select wish_id from wish_members where request_id = new.id), new.id) into shared_wish;
        if not exists (select from wish_marks where wish_id = shared_wish)
          and not exists (select from account_wish_members as own join wish_marks as mark
            on mark.account_id = own.account_id and mark.wish_id = own.wish_id where own.request_id = new.id)
          and not exists (select from account_wish_merges as own join wish_marks as mark
            on mark.account_id = own.account_id and mark.wish_id = own.into_wish_id where own.wish_id = shared_wish) then
          return null;
        end if;
      end if;
      -- The moment of the service that stores it, as everywhere: the clock of the database may be another one.
      insert into events (account_id, type, subject, created_at) values (null, 'wish.status_changed',
        jsonb_build_object('requestId', new.id, 'status', new.status, 'previousStatus', old.status), new.updated_at);
      return null;
    end $$`,
  // For each row, but called for the few whose status changed; a page without any pays one comparison a row.
  `create trigger note_status_change after update of status on requests
    for each row when (old.status is not null and new.status is distinct from old.status) execute function note_status_change()`,
]
