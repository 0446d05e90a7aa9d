-- The tables of schema version 1, as generate.ts wrote them. Never changed after the release of 0.1.0.

create table accounts (
    id uuid primary key default gen_random_uuid(),
    name text not null,
    tier text not null check (tier in ('free', 'pro', 'max')),
    payg_monthly_cap integer check (payg_monthly_cap >= 0),
    created_at timestamptz not null,
    -- A deleted account keeps its row, because its ledger refers to it.
    deleted_at timestamptz
  );

create table api_keys (
    id uuid primary key default gen_random_uuid(),
    account_id uuid not null references accounts,
    name text not null,
    hash text not null unique,
    hint text not null,
    created_at timestamptz not null,
    revoked_at timestamptz,
    last_used_at timestamptz
  );

create index api_keys_account on api_keys (account_id);

create table sessions (
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
  );

create index sessions_account on sessions (account_id, last_used_at desc);

create index sessions_idle on sessions (last_used_at);

create index sessions_key on sessions (api_key_id);

create table sign_in_links (
    id uuid primary key default gen_random_uuid(),
    token_hash text not null unique,
    account_id uuid not null references accounts,
    admin_key_hash text not null,
    created_at timestamptz not null,
    expires_at timestamptz not null
  );

create index sign_in_links_account on sign_in_links (account_id, created_at);

create index sign_in_links_expired on sign_in_links (expires_at);

create table platform_quotas (
    platform text not null,
    name text not null,
    used integer not null,
    resets_at timestamptz not null,
    primary key (platform, name)
  );

create table platform_hosts (
    platform text not null,
    name text not null,
    failures integer not null,
    paused_until timestamptz,
    cooldown_until timestamptz,
    last_success_at timestamptz,
    last_error_code text,
    last_error_message text,
    last_error_at timestamptz,
    remaining integer not null,
    remaining_limit integer not null,
    remaining_resets_at timestamptz not null,
    primary key (platform, name)
  );

create table adapter_cache (
    platform text not null,
    key text not null,
    value jsonb not null,
    expires_at timestamptz not null,
    primary key (platform, key)
  );

create index adapter_cache_expiry on adapter_cache (expires_at);

create table requests (
    id uuid primary key default gen_random_uuid(),
    platform text not null,
    source_id text not null,
    title text not null,
    description text not null,
    votes integer not null,
    tags text[] not null,
    comment_count integer,
    source_url text not null,
    author_name text,
    author_handle text,
    author_profile_url text,
    license text,
    topic text not null,
    original_created_at timestamptz,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    posted_at timestamptz not null generated always as (coalesce(original_created_at, created_at)) stored,
    -- Null until a refresh that changes nothing sees the request a day or more after updated_at.
    seen_at timestamptz,
    unique (platform, source_id)
  );

create index requests_new on requests (posted_at desc, id desc);

create index requests_top on requests (votes desc, id desc);

create index requests_tags on requests using gin (tags);

create index requests_refreshed on requests (platform, greatest(updated_at, seen_at));

create table request_texts (
    request_id uuid primary key references requests on delete cascade,
    text text not null
  );

create text search dictionary wishwell_stem (template = snowball, language = english);

create text search configuration wishwell (copy = pg_catalog.english);

alter text search configuration wishwell alter mapping replace pg_catalog.english_stem with wishwell_stem;

create table search_words (
    word text collate "C" primary key,
    requests integer not null,
    frequent boolean not null generated always as (requests >= 16) stored
  ) with (fillfactor = 70);

create index search_words_frequent on search_words (word) where frequent;

create function requests_with_tags(tags text[], max_rows integer) returns setof uuid language plpgsql stable rows 1000
  set enable_seqscan = off as $$
    begin
      return query execute 'select id from requests where tags @> $1 limit $2' using tags, max_rows;
    end
  $$;

create function requests_on_platforms(platforms text[], max_rows integer) returns setof uuid language plpgsql stable rows 1000
  set enable_seqscan = off as $$
    begin
      return query execute 'select id from requests where platform = any($1) limit $2' using platforms, max_rows;
    end
  $$;

create table suppressions (
    hash text not null,
    purge_id uuid not null,
    kind text not null check (kind in ('id', 'url', 'handle', 'name', 'profile')),
    named boolean not null,
    created_at timestamptz not null,
    primary key (hash, purge_id)
  );

create index suppressions_purge on suppressions (purge_id);

create function notify_request_change() returns trigger language plpgsql as $$
  begin
    perform pg_notify('wishwell_requests', '');
    return null;
  end $$;

create trigger notify_request_change after insert or update or delete or truncate on requests
    for each statement execute function notify_request_change();

create table topics (
    key text primary key,
    name text not null,
    created_at timestamptz not null,
    requests integer not null default 0,
    votes bigint not null default 0,
    collected_at timestamptz not null default now()
  );

create index topics_new on topics (collected_at desc, key desc) where requests > 0;

create index topics_top on topics (votes desc, key desc) where requests > 0;

create index topics_name on topics (key) where requests > 0;

create table request_topics (
    request_id uuid not null references requests on delete cascade,
    topic_key text not null references topics,
    found_at timestamptz not null,
    platform text,
    posted_at timestamptz,
    votes integer,
    tags text[],
    primary key (request_id, topic_key)
  );

create index request_topics_new on request_topics (topic_key, posted_at desc, request_id desc);

create index request_topics_top on request_topics (topic_key, votes desc, request_id desc);

create table topic_counts (
    topic_key text not null,
    kind text not null check (kind in ('platform', 'day', 'tag')),
    value text not null,
    requests integer not null,
    votes bigint not null,
    primary key (topic_key, kind, value)
  ) with (fillfactor = 70);

create index topic_counts_tags on topic_counts (topic_key, requests desc, value) where kind = 'tag';

create index topic_counts_zero on topic_counts (topic_key) where requests = 0;

create table platform_topics (
    platform text not null,
    topic_key text not null,
    pages integer not null,
    collected_at timestamptz not null,
    primary key (platform, topic_key)
  );

create function count_inserted_request_topics() returns trigger language plpgsql
  -- Plans are cached for the whole session: a plan made while the tables are small must not be a sequential scan.
  set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
  begin
    with changes as materialized (select topic_key, platform, posted_at, votes, tags, 1 as sign from new_links where platform is not null),
    parts as materialized (
      select topic_key, 'platform' as kind, platform as value, sign as requests, sign * votes::bigint as votes from changes
      union all
      select topic_key, 'day', to_char(posted_at at time zone 'UTC', 'YYYY-MM-DD'), sign, 0 from changes
      union all
      select topic_key, 'tag', tag, sign, 0 from changes, lateral (select distinct unnest(tags) as tag) as own
    ),
    counted as (
      insert into topic_counts as existing (topic_key, kind, value, requests, votes)
      select topic_key, kind, value, sum(requests), sum(votes) from parts group by 1, 2, 3
      having sum(requests) <> 0 or sum(votes) <> 0
      on conflict (topic_key, kind, value) do update
        set requests = existing.requests + excluded.requests, votes = existing.votes + excluded.votes
    )
    update topics set requests = topics.requests + total.requests, votes = topics.votes + total.votes
    from (select topic_key, sum(sign) as requests, sum(sign * votes::bigint) as votes from changes group by 1) as total
    where topics.key = total.topic_key and (total.requests <> 0 or total.votes <> 0);
    -- A tag of purged requests must not stay readable.
    delete from topic_counts where requests = 0;
    return null;
  end $$;

create function count_deleted_request_topics() returns trigger language plpgsql
  -- Plans are cached for the whole session: a plan made while the tables are small must not be a sequential scan.
  set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
  begin
    with changes as materialized (select topic_key, platform, posted_at, votes, tags, -1 as sign from old_links where platform is not null),
    parts as materialized (
      select topic_key, 'platform' as kind, platform as value, sign as requests, sign * votes::bigint as votes from changes
      union all
      select topic_key, 'day', to_char(posted_at at time zone 'UTC', 'YYYY-MM-DD'), sign, 0 from changes
      union all
      select topic_key, 'tag', tag, sign, 0 from changes, lateral (select distinct unnest(tags) as tag) as own
    ),
    counted as (
      insert into topic_counts as existing (topic_key, kind, value, requests, votes)
      select topic_key, kind, value, sum(requests), sum(votes) from parts group by 1, 2, 3
      having sum(requests) <> 0 or sum(votes) <> 0
      on conflict (topic_key, kind, value) do update
        set requests = existing.requests + excluded.requests, votes = existing.votes + excluded.votes
    )
    update topics set requests = topics.requests + total.requests, votes = topics.votes + total.votes
    from (select topic_key, sum(sign) as requests, sum(sign * votes::bigint) as votes from changes group by 1) as total
    where topics.key = total.topic_key and (total.requests <> 0 or total.votes <> 0);
    -- A tag of purged requests must not stay readable.
    delete from topic_counts where requests = 0;
    return null;
  end $$;

create function count_updated_request_topics() returns trigger language plpgsql
  -- Plans are cached for the whole session: a plan made while the tables are small must not be a sequential scan.
  set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
  begin
    with changes as materialized (select topic_key, platform, posted_at, votes, tags, -1 as sign from old_links where platform is not null
      union all select topic_key, platform, posted_at, votes, tags, 1 from new_links where platform is not null),
    parts as materialized (
      select topic_key, 'platform' as kind, platform as value, sign as requests, sign * votes::bigint as votes from changes
      union all
      select topic_key, 'day', to_char(posted_at at time zone 'UTC', 'YYYY-MM-DD'), sign, 0 from changes
      union all
      select topic_key, 'tag', tag, sign, 0 from changes, lateral (select distinct unnest(tags) as tag) as own
    ),
    counted as (
      insert into topic_counts as existing (topic_key, kind, value, requests, votes)
      select topic_key, kind, value, sum(requests), sum(votes) from parts group by 1, 2, 3
      having sum(requests) <> 0 or sum(votes) <> 0
      on conflict (topic_key, kind, value) do update
        set requests = existing.requests + excluded.requests, votes = existing.votes + excluded.votes
    )
    update topics set requests = topics.requests + total.requests, votes = topics.votes + total.votes
    from (select topic_key, sum(sign) as requests, sum(sign * votes::bigint) as votes from changes group by 1) as total
    where topics.key = total.topic_key and (total.requests <> 0 or total.votes <> 0);
    -- A tag of purged requests must not stay readable.
    delete from topic_counts where requests = 0;
    return null;
  end $$;

create function complete_request_topics() returns trigger language plpgsql
    set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
    begin
      if exists (select from new_links where platform is null) then
        update request_topics set platform = requests.platform, posted_at = requests.posted_at, votes = requests.votes,
          tags = requests.tags
        from new_links join requests on requests.id = new_links.request_id
        where request_topics.request_id = new_links.request_id and request_topics.topic_key = new_links.topic_key
          and new_links.platform is null;
      end if;
      return null;
    end $$;

create function refresh_request_topics() returns trigger language plpgsql
    set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
    begin
      if exists (select from new_requests) then
        update request_topics set posted_at = fresh.posted_at, votes = fresh.votes, tags = fresh.tags
        from new_requests as fresh join old_requests as previous using (id)
        where request_id = fresh.id
          and (previous.posted_at, previous.votes, previous.tags) is distinct from (fresh.posted_at, fresh.votes, fresh.tags);
      end if;
      return null;
    end $$;

create function update_topic_collected_at() returns trigger language plpgsql as $$
    begin
      update topics set collected_at = new.collected_at where key = new.topic_key and collected_at < new.collected_at;
      return null;
    end $$;

create trigger complete_request_topics after insert on request_topics referencing new table as new_links
    for each statement execute function complete_request_topics();

create trigger count_inserted_request_topics after insert on request_topics referencing new table as new_links
    for each statement execute function count_inserted_request_topics();

create trigger count_deleted_request_topics after delete on request_topics referencing old table as old_links
    for each statement execute function count_deleted_request_topics();

create trigger count_updated_request_topics after update on request_topics
    referencing old table as old_links new table as new_links
    for each statement execute function count_updated_request_topics();

create trigger refresh_request_topics after update on requests
    referencing old table as old_requests new table as new_requests
    for each statement execute function refresh_request_topics();

create trigger update_topic_collected_at after insert or update on platform_topics
    for each row execute function update_topic_collected_at();

create trigger notify_request_change after insert or update or delete or truncate on request_topics
    for each statement execute function notify_request_change();

create table scrape_jobs (
    id uuid primary key default gen_random_uuid(),
    -- Null for an unowned job, which live calls of several accounts share: it is not queued for any account.
    account_id uuid references accounts,
    topic text not null,
    depth integer not null check (depth between 1 and 40),
    created_at timestamptz not null,
    expires_at timestamptz not null default now() + interval '6 hours',
    -- Null while the job is queued.
    begun_at timestamptz,
    -- Null until its last task has ended.
    ended_at timestamptz,
    -- Of unowned jobs only: live calls for the same topic find the running collection by it.
    topic_key text
  );

create index scrape_jobs_account_page on scrape_jobs (account_id, created_at desc, id desc);

create index scrape_jobs_page on scrape_jobs (created_at desc, id desc);

create index scrape_jobs_open on scrape_jobs (account_id, created_at, id) where ended_at is null;

create index scrape_jobs_unowned on scrape_jobs (topic_key, created_at) where account_id is null;

create table scrape_tasks (
    id uuid primary key default gen_random_uuid(),
    job_id uuid not null references scrape_jobs on delete cascade,
    platform text not null,
    position integer not null,
    state text not null default 'pending' check (state in ('pending', 'running', 'done', 'error', 'skipped')),
    fencing_token integer not null default 0,
    cursor jsonb,
    pages integer not null default 0,
    requests_found integer not null default 0,
    requests_created integer not null default 0,
    tries integer not null default 0,
    takeovers integer not null default 0,
    page_due_since timestamptz,
    waiting_until timestamptz,
    queue_message_id uuid,
    error_code text,
    error_message text,
    started_at timestamptz,
    completed_at timestamptz,
    -- Counts the visible changes: event streams resume by it.
    revision integer not null default 0,
    unique (job_id, platform)
  );

create index scrape_tasks_open on scrape_tasks (job_id) where state in ('pending', 'running');

create index scrape_tasks_queued on scrape_tasks (queue_message_id)
    where state in ('pending', 'running') and queue_message_id is not null;

create table scrape_job_requests (
    job_id uuid not null references scrape_jobs on delete cascade,
    request_id uuid not null references requests on delete cascade,
    primary key (job_id, request_id)
  );

create index scrape_job_requests_request on scrape_job_requests (request_id);

create trigger notify_request_change after insert or update or delete or truncate on scrape_job_requests
    for each statement execute function notify_request_change();

create function notify_task_change() returns trigger language plpgsql as $$
  begin
    new.revision := old.revision + 1;
    perform pg_notify('wishwell_tasks', new.job_id || ' ' || new.id || ' ' || new.state);
    return new;
  end $$;

create trigger notify_task_change before update on scrape_tasks for each row
    when ((old.state, old.pages, old.requests_found, old.requests_created, old.waiting_until)
      is distinct from (new.state, new.pages, new.requests_found, new.requests_created, new.waiting_until))
    execute function notify_task_change();

create sequence account_schedule_last_served_seq;

create table account_schedule (
    account_id uuid primary key references accounts,
    last_served bigint not null
  ) with (fillfactor = 50);

create table live_calls (
    id uuid primary key,
    account_id uuid not null references accounts,
    operation text not null check (operation in ('expand', 'realtime')),
    idempotency_id text,
    created_at timestamptz not null,
    expires_at timestamptz not null,
    plan jsonb
  );

create index live_calls_expiry on live_calls (expires_at);

create table credit_balances (
    account_id uuid primary key references accounts,
    month text not null check (month ~ '^[0-9]{4}-(0[1-9]|1[0-2])$'),
    pool_held integer not null default 0 check (pool_held >= 0),
    pool_settled integer not null default 0 check (pool_settled >= 0),
    payg_balance integer not null default 0 check (payg_balance >= 0),
    payg_held integer not null default 0 check (payg_held between 0 and payg_balance),
    payg_month_used integer not null default 0 check (payg_month_used >= 0),
    latest_pool_part integer not null default 0 check (latest_pool_part >= 0),
    latest_month text not null check (latest_month ~ '^[0-9]{4}-(0[1-9]|1[0-2])$'),
    check (month <= latest_month)
  ) with (fillfactor = 50);

create table credit_reservations (
    id uuid primary key default gen_random_uuid(),
    account_id uuid not null references credit_balances,
    month text not null check (month ~ '^[0-9]{4}-(0[1-9]|1[0-2])$'),
    operation text not null check (operation in ('scrape', 'expand', 'realtime')),
    job_id uuid unique references scrape_jobs,
    call_id uuid unique,
    pool_part integer not null check (pool_part >= 0),
    payg_part integer not null check (payg_part >= 0),
    state text not null default 'open' check (state in ('open', 'closed')),
    settled integer not null default 0,
    created_at timestamptz not null,
    closed_at timestamptz,
    check (pool_part + payg_part > 0),
    check (settled between 0 and pool_part + payg_part),
    check ((operation = 'scrape') = (job_id is not null)),
    check (num_nonnulls(job_id, call_id) = 1),
    check ((state = 'closed') = (closed_at is not null)),
    check (state = 'closed' or settled = 0)
  );

create index credit_reservations_account on credit_reservations (account_id);

create table credit_entries (
    id bigint generated always as identity primary key,
    account_id uuid not null references credit_balances,
    month text not null check (month ~ '^[0-9]{4}-(0[1-9]|1[0-2])$'),
    kind text not null check (kind in ('reserve', 'settle', 'release', 'grant')),
    operation text not null check (operation in ('scrape', 'expand', 'realtime', 'pack')),
    cause text not null,
    pack text,
    reservation_id uuid references credit_reservations,
    pool_held_change integer not null default 0,
    pool_settled_change integer not null default 0,
    payg_held_change integer not null default 0,
    payg_settled_change integer not null default 0,
    payg_granted_change integer not null default 0,
    created_at timestamptz not null,
    unique (reservation_id, kind),
    check ((kind = 'grant') = (operation = 'pack')),
    check ((kind = 'grant') = (pack is not null)),
    check ((kind = 'grant') = (reservation_id is null)),
    check (case kind
      when 'reserve' then pool_held_change >= 0 and payg_held_change >= 0
      when 'settle' then pool_held_change <= 0 and payg_held_change <= 0
      when 'release' then pool_held_change <= 0 and payg_held_change <= 0
      else pool_held_change = 0 and payg_held_change = 0 end),
    check (pool_settled_change = case kind when 'settle' then -pool_held_change else 0 end),
    check (payg_settled_change = case kind when 'settle' then -payg_held_change else 0 end),
    check (case kind when 'grant' then payg_granted_change > 0 else payg_granted_change = 0 end)
  );

create index credit_entries_account on credit_entries (account_id, id);

create index credit_entries_settled on credit_entries (account_id, created_at) where kind = 'settle';

create function reject_entry_change() returns trigger language plpgsql as $$
    begin
      raise exception 'credit_entries is append-only' using errcode = 'integrity_constraint_violation';
    end
  $$;

create trigger credit_entries_append_only before update or delete on credit_entries
    for each statement execute function reject_entry_change();

create table idempotency_keys (
    id text primary key,
    fingerprint text not null,
    status integer,
    body text,
    expires_at timestamptz not null,
    effect text
  );

create index idempotency_keys_expiry on idempotency_keys (expires_at);

create unlogged table rate_limit_windows (
    key text primary key,
    hits timestamptz[] storage external not null,
    accepted boolean not null,
    counted_at timestamptz not null
  ) with (fillfactor = 50);

create table kysely_migration (name varchar(255) primary key, timestamp varchar(255) not null);

create table kysely_migration_lock (id varchar(255) primary key, is_locked integer not null default 0);

insert into kysely_migration values ('001-version-1', '2026-11-22T10:00:00.000Z');

insert into kysely_migration_lock values ('migration_lock', 0);
