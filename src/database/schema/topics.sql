-- Topics, the links from requests to topics, and the counts of both, which are appended as differences and added by a fold (decision 052).

create table topics (
  key text primary key,
  name text not null,
  created_at timestamptz not null,
  requests integer not null default 0,
  votes bigint not null default 0,
  collected_at timestamptz not null default now(),
  -- How many of its requests are of the class maybe.
  maybe integer not null default 0,
  -- Of topics that only such jobs have collected.
  from_expansion boolean not null default false
);
-- Lists leave out topics without requests.
create index topics_new on topics (collected_at desc, key desc) where requests > 0 and (not from_expansion);
create index topics_top on topics (votes desc, key desc) where requests > 0 and (not from_expansion);
create index topics_name on topics (key) where requests > 0 and (not from_expansion);

-- No foreign keys: checking them locked the row of the topic for all pages. The last five columns are copies from requests, so that a list of a topic filters and sorts by one index.
create table request_topics (
  request_id uuid not null,
  topic_key text not null,
  found_at timestamptz not null,
  platform text not null,
  posted_at timestamptz not null,
  votes integer not null,
  tags text[] not null,
  standing smallint not null,
  primary key (request_id, topic_key)
);
create index request_topics_new on request_topics (topic_key, posted_at desc, request_id desc);
create index request_topics_top on request_topics (topic_key, votes desc, request_id desc);
create index request_topics_new_likely on request_topics (topic_key, posted_at desc, request_id desc) where standing = 2;
create index request_topics_top_likely on request_topics (topic_key, votes desc, request_id desc) where standing = 2;

-- The number of requests per topic and platform, UTC day of posting, or tag.
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

-- What a statement changed in the counts of a topic. In the order of the ids, the rows of one request are in the order of its changes.
create table topic_deltas (
  id bigint primary key generated always as identity,
  topic_key text not null,
  requests integer not null,
  votes bigint not null,
  maybe integer not null,
  -- The columns of topic_counts, as arrays: a row for each part would cost more than the counts themselves.
  kinds text[] not null,
  parts text[] not null,
  part_requests integer[] not null,
  part_votes bigint[] not null
);
create index topic_deltas_topic on topic_deltas (topic_key);

-- Appends what changes in the counts when these links to topics are gone, and those are there. The statement that changes links calls it.
create function note_topic_changes(gone request_topics[], come request_topics[]) returns void language plpgsql set enable_hashjoin = off set enable_mergejoin = off as $$
  begin
    with changes as materialized (
      select topic_key, platform, posted_at, votes, tags, standing, -1 as sign from unnest(gone)
      union all
      select topic_key, platform, posted_at, votes, tags, standing, 1 from unnest(come)
    ),
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
  end
$$;

-- Takes the oldest rows and adds them to the counts. One caller at a time. Topics are locked in one order: pages change other columns.
create function fold_topic_deltas(max_rows integer) returns integer language plpgsql set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
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
  end
$$;
