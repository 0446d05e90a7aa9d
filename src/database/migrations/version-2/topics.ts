/**
 * A trigger function of version 1, which counted all requests of a topic: now those of the class likely, and apart from them those
 * of the class maybe.
 * @param changes a query for the removed rows (sign -1) and the added rows (sign 1).
 */
const countTrigger = (name: string, changes: string) => `
  create or replace function ${name}() returns trigger language plpgsql
  -- Plans are cached for the whole session: a plan made while the tables are small must not be a sequential scan.
  set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
  begin
    with changes as materialized (${changes}),
    likely as materialized (select * from changes where standing = 2),
    parts as materialized (
      select topic_key, 'platform' as kind, platform as value, sign as requests, sign * votes::bigint as votes from likely
      union all
      select topic_key, 'day', to_char(posted_at at time zone 'UTC', 'YYYY-MM-DD'), sign, 0 from likely
      union all
      select topic_key, 'tag', tag, sign, 0 from likely, lateral (select distinct unnest(tags) as tag) as own
    ),
    counted as (
      insert into topic_counts as existing (topic_key, kind, value, requests, votes)
      select topic_key, kind, value, sum(requests), sum(votes) from parts group by 1, 2, 3
      having sum(requests) <> 0 or sum(votes) <> 0
      on conflict (topic_key, kind, value) do update
        set requests = existing.requests + excluded.requests, votes = existing.votes + excluded.votes
    )
    update topics set requests = topics.requests + total.requests, votes = topics.votes + total.votes,
      maybe = topics.maybe + total.maybe
    from (
      select topic_key, coalesce(sum(sign) filter (where standing = 2), 0) as requests,
        coalesce(sum(sign * votes::bigint) filter (where standing = 2), 0) as votes,
        coalesce(sum(sign) filter (where standing = 1), 0) as maybe
      from changes group by 1
    ) as total
    where topics.key = total.topic_key and (total.requests <> 0 or total.votes <> 0 or total.maybe <> 0);
    -- A tag of purged requests must not stay readable.
    delete from topic_counts where requests = 0;
    return null;
  end $$`

const countedColumns = 'topic_key, platform, posted_at, votes, tags, standing'

/** Topics count their likely requests, and how many more may be requests. */
export const topics: readonly string[] = [
  // A copy from requests, like the other columns; the default is what requests of version 1 have.
  'alter table request_topics add column standing smallint default 2',
  // How many of its requests are of the class maybe; a trigger maintains it.
  'alter table topics add column maybe integer not null default 0',
  `create index request_topics_new_likely on request_topics (topic_key, posted_at desc, request_id desc) where standing = 2`,
  `create index request_topics_top_likely on request_topics (topic_key, votes desc, request_id desc) where standing = 2`,

  // The triggers of version 1 stay; their functions count by standing, and copy it.
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
  `create or replace function complete_request_topics() returns trigger language plpgsql
    set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
    begin
      if exists (select from new_links where platform is null) then
        update request_topics set platform = requests.platform, posted_at = requests.posted_at, votes = requests.votes,
          tags = requests.tags, standing = requests.standing
        from new_links join requests on requests.id = new_links.request_id
        where request_topics.request_id = new_links.request_id and request_topics.topic_key = new_links.topic_key
          and new_links.platform is null;
      end if;
      return null;
    end $$`,
  `create or replace function refresh_request_topics() returns trigger language plpgsql
    set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
    begin
      if exists (select from new_requests) then
        update request_topics set posted_at = fresh.posted_at, votes = fresh.votes, tags = fresh.tags,
          standing = fresh.standing
        from new_requests as fresh join old_requests as previous using (id)
        where request_id = fresh.id
          and (previous.posted_at, previous.votes, previous.tags, previous.standing)
            is distinct from (fresh.posted_at, fresh.votes, fresh.tags, fresh.standing);
      end if;
      return null;
    end $$`,
]
