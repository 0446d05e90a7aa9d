/** Plans are cached for the whole session: a plan made while the tables are small must not be a sequential scan. */
const planned = 'set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off'

/**
 * A trigger function of version 2, which changed the counts of topics: now it appends the differences, one row a topic.
 * @param rows the transition table that is empty when nothing changed
 * @param changes a query for the removed rows (sign -1) and the added rows (sign 1).
 */
const countTrigger = (name: string, rows: 'old_links' | 'new_links', changes: string) => `
  create or replace function ${name}() returns trigger language plpgsql ${planned} as $$
  begin
    if not exists (select from ${rows}) then return null; end if;
    with changes as materialized (${changes}),
    likely as materialized (select * from changes where standing = 2),
    parts as (
      select topic_key, kind, value, sum(requests)::integer as requests, sum(votes)::bigint as votes from (
        select topic_key, 'platform' as kind, platform as value, sign as requests, sign * votes::bigint as votes from likely
        union all
        select topic_key, 'day', to_char(posted_at at time zone 'UTC', 'YYYY-MM-DD'), sign, 0 from likely
        union all
        select topic_key, 'tag', tag, sign, 0 from likely, lateral (select distinct unnest(tags) as tag) as own
      ) as differences
      group by 1, 2, 3 having sum(requests) <> 0 or sum(votes) <> 0
    ),
    totals as (
      select topic_key, coalesce(sum(sign) filter (where standing = 2), 0) as requests,
        coalesce(sum(sign * votes::bigint) filter (where standing = 2), 0) as votes,
        coalesce(sum(sign) filter (where standing = 1), 0) as maybe
      from changes group by 1
    ),
    arrays as (
      select topic_key, array_agg(kind) as kinds, array_agg(value) as parts, array_agg(requests) as part_requests,
        array_agg(votes) as part_votes
      from parts group by 1
    )
    insert into topic_deltas (topic_key, requests, votes, maybe, kinds, parts, part_requests, part_votes)
    select topic_key, totals.requests, totals.votes, totals.maybe, coalesce(kinds, '{}'), coalesce(arrays.parts, '{}'),
      coalesce(part_requests, '{}'), coalesce(part_votes, '{}')
    from totals left join arrays using (topic_key)
    where totals.requests <> 0 or totals.votes <> 0 or totals.maybe <> 0 or kinds is not null;
    return null;
  end $$`

const countedColumns = 'topic_key, platform, posted_at, votes, tags, standing'

/** Counts of topics are not changed by those who change links: they append what a later fold adds (decision 052). */
export const topicDeltas: readonly string[] = [
  // What a statement changed in the counts of a topic. In the order of the ids, the rows of one request are in the order of its changes.
  `create table topic_deltas (
    id bigint generated always as identity primary key,
    topic_key text not null,
    requests integer not null,
    votes bigint not null,
    maybe integer not null,
    -- The columns of topic_counts, as arrays: a row for each part would cost more than the counts themselves.
    kinds text[] not null,
    parts text[] not null,
    part_requests integer[] not null,
    part_votes bigint[] not null
  )`,
  'create index topic_deltas_topic on topic_deltas (topic_key)',
  countTrigger(
    'count_inserted_request_topics',
    'new_links',
    `select ${countedColumns}, 1 as sign from new_links where platform is not null`,
  ),
  countTrigger(
    'count_deleted_request_topics',
    'old_links',
    `select ${countedColumns}, -1 as sign from old_links where platform is not null`,
  ),
  countTrigger(
    'count_updated_request_topics',
    'new_links',
    `select ${countedColumns}, -1 as sign from old_links where platform is not null
      union all select ${countedColumns}, 1 from new_links where platform is not null`,
  ),
  // Takes the oldest rows and adds them to the counts. One caller at a time. Topics are locked in one order: pages change other columns.
  `create function fold_topic_deltas(max_rows integer) returns integer language plpgsql ${planned} as $$
    declare
      folded integer;
    begin
      with taken as materialized (
        delete from topic_deltas where id = any(array(select id from topic_deltas order by id limit max_rows)) returning *
      ),
      counted as (
        insert into topic_counts as existing (topic_key, kind, value, requests, votes)
        select topic_key, part.kind, part.value, sum(part.requests), sum(part.votes)
        from taken cross join lateral unnest(kinds, parts, part_requests, part_votes) as part (kind, value, requests, votes)
        group by 1, 2, 3 having sum(part.requests) <> 0 or sum(part.votes) <> 0
        on conflict (topic_key, kind, value) do update
          set requests = existing.requests + excluded.requests, votes = existing.votes + excluded.votes
      ),
      totals as materialized (
        select topic_key, sum(requests) as requests, sum(votes) as votes, sum(maybe) as maybe, count(*) as rows
        from taken group by 1
      ),
      locked as materialized (
        select key from topics where key = any(array(select topic_key from totals)) order by key for no key update
      ),
      updated as (
        update topics set requests = topics.requests + totals.requests, votes = topics.votes + totals.votes,
          maybe = topics.maybe + totals.maybe
        from locked join totals on totals.topic_key = locked.key
        where topics.key = locked.key and (totals.requests <> 0 or totals.votes <> 0 or totals.maybe <> 0)
      )
      select coalesce(sum(rows), 0)::integer into folded from totals;
      -- A tag of purged requests must not stay.
      delete from topic_counts where requests = 0;
      return folded;
    end $$`,
]
