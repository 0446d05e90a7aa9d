/**
 * A trigger function that updates the counts of topics after a statement on request_topics.
 * @param changes a query for the removed rows (sign -1) and the added rows (sign 1).
 */
const countTrigger = (name: string, changes: string) => `
  create function ${name}() returns trigger language plpgsql
  -- Plans are cached for the whole session: a plan made while the tables are small must not be a sequential scan.
  set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
  begin
    with changes as materialized (${changes}),
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
  end $$`

const countedColumns = 'topic_key, platform, posted_at, votes, tags'

/** Topics, the links from requests to topics, and the counts of both. */
export const topics: readonly string[] = [
  `create table topics (
    key text primary key,
    name text not null,
    created_at timestamptz not null,
    requests integer not null default 0,
    votes bigint not null default 0,
    collected_at timestamptz not null default now()
  )`,
  // Lists leave out topics without requests.
  'create index topics_new on topics (collected_at desc, key desc) where requests > 0',
  'create index topics_top on topics (votes desc, key desc) where requests > 0',
  'create index topics_name on topics (key) where requests > 0',

  // The last four columns are copies from requests, so that a list of a topic filters and sorts by one index.
  `create table request_topics (
    request_id uuid not null references requests on delete cascade,
    topic_key text not null references topics,
    found_at timestamptz not null,
    platform text,
    posted_at timestamptz,
    votes integer,
    tags text[],
    primary key (request_id, topic_key)
  )`,
  'create index request_topics_new on request_topics (topic_key, posted_at desc, request_id desc)',
  'create index request_topics_top on request_topics (topic_key, votes desc, request_id desc)',

  // The number of requests per topic and platform, UTC day of posting, or tag.
  `create table topic_counts (
    topic_key text not null,
    kind text not null check (kind in ('platform', 'day', 'tag')),
    value text not null,
    requests integer not null,
    votes bigint not null,
    primary key (topic_key, kind, value)
  ) with (fillfactor = 70)`,
  "create index topic_counts_tags on topic_counts (topic_key, requests desc, value) where kind = 'tag'",
  'create index topic_counts_zero on topic_counts (topic_key) where requests = 0',

  // How many pages of a topic a platform has delivered, and when: adapters with several sources alternate by it.
  `create table platform_topics (
    platform text not null,
    topic_key text not null,
    pages integer not null,
    collected_at timestamptz not null,
    primary key (platform, topic_key)
  )`,

  // Triggers, so that every writer keeps the counts right.
  countTrigger(
    'count_inserted_request_topics',
    `select ${countedColumns}, 1 as sign from new_links where platform is not null`,
  ),
  countTrigger(
    'count_deleted_request_topics',
    `select ${countedColumns}, -1 as sign from old_links where platform is not null`,
  ),
  countTrigger(
    'count_updated_request_topics',
    `select ${countedColumns}, -1 as sign from old_links where platform is not null
      union all select ${countedColumns}, 1 from new_links where platform is not null`,
  ),
  // A row that was inserted without the copied columns gets them from its request; the trigger of that update counts it.
  `create function complete_request_topics() returns trigger language plpgsql
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
    end $$`,
  `create function refresh_request_topics() returns trigger language plpgsql
    set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
    begin
      if exists (select from new_requests) then
        update request_topics set posted_at = fresh.posted_at, votes = fresh.votes, tags = fresh.tags
        from new_requests as fresh join old_requests as previous using (id)
        where request_id = fresh.id
          and (previous.posted_at, previous.votes, previous.tags) is distinct from (fresh.posted_at, fresh.votes, fresh.tags);
      end if;
      return null;
    end $$`,
  `create function update_topic_collected_at() returns trigger language plpgsql as $$
    begin
      update topics set collected_at = new.collected_at where key = new.topic_key and collected_at < new.collected_at;
      return null;
    end $$`,
  `create trigger complete_request_topics after insert on request_topics referencing new table as new_links
    for each statement execute function complete_request_topics()`,
  `create trigger count_inserted_request_topics after insert on request_topics referencing new table as new_links
    for each statement execute function count_inserted_request_topics()`,
  `create trigger count_deleted_request_topics after delete on request_topics referencing old table as old_links
    for each statement execute function count_deleted_request_topics()`,
  `create trigger count_updated_request_topics after update on request_topics
    referencing old table as old_links new table as new_links
    for each statement execute function count_updated_request_topics()`,
  `create trigger refresh_request_topics after update on requests
    referencing old table as old_requests new table as new_requests
    for each statement execute function refresh_request_topics()`,
  `create trigger update_topic_collected_at after insert or update on platform_topics
    for each row execute function update_topic_collected_at()`,
]
