-- The numbers of wishes: counted again from all members, as the last step of the transaction that changed them (decision 052). Plans are cached for the
-- whole session, and one made while the tables are small must not be a sequential scan.

-- The requests of a wish in the shared view: its members, or the one request that is a wish by itself.
create function shared_members(wish uuid) returns setof uuid language sql stable as $$
  select request_id from wish_members where wish_id = wish
  union all
  select request_id from request_facets where request_id = wish
    and not exists (select from wish_members where wish_members.request_id = wish)
$$;

-- The numbers of those of these requests that are likely, as an account sees them; null: in the shared view. Imported requests are own ones, and are in no
-- public number; where all are imported, dates, status and title are theirs. Members that are a column become part of the
-- statement that calls it; those that are a subquery make it a function that is started for each wish, which takes ten times as long.
create function wish_numbers(members uuid[], viewer uuid) returns table (requests integer, votes bigint, own_requests integer, own_votes bigint,
    platforms text[], first_asked_at timestamptz, last_asked_at timestamptz, status text, top_request_id uuid) language sql stable as $$
  select count(*) filter (where is_public)::integer, coalesce(sum(facet.votes) filter (where is_public), 0)::bigint,
    count(*) filter (where not is_public)::integer, coalesce(sum(facet.votes) filter (where not is_public), 0)::bigint,
    coalesce(array_agg(distinct facet.platform), '{}'),
    coalesce(min(facet.posted_at) filter (where is_public), min(facet.posted_at)),
    coalesce(max(facet.posted_at) filter (where is_public), max(facet.posted_at)),
    (array['in_progress', 'planned', 'open', 'completed', 'declined', 'closed', 'duplicate'])[
      case when bool_or(is_public) then min(rank) filter (where is_public) else min(rank) end],
    (array_agg(facet.request_id order by is_public desc, facet.votes desc, facet.confidence desc, facet.posted_at, facet.request_id))[1]
  from unnest(members) as member (id) cross join lateral (
    select *, platform <> 'import' as is_public, array_position(
      array['in_progress', 'planned', 'open', 'completed', 'declined', 'closed', 'duplicate'], status) as rank
    from request_facets where request_id = member.id offset 0
  ) as facet
  where coalesce((select own.standing from account_requests as own
    where own.account_id = viewer and own.request_id = facet.request_id), facet.standing) = 2
$$;

-- A wish with likely members has one of them as its core. Any likely core may stay; else the one most alike to the last one is chosen.
-- A member that another transaction has locked is being moved or deleted: that one counts the wish after this one.
create function choose_wish_cores(wish_ids uuid[]) returns void language plpgsql set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
   begin with lacking as materialized (
    select distinct id from unnest(wish_ids) as id
    where not exists (select from wish_members as core join request_facets as facet using (request_id)
      where core.wish_id = id and core.is_core and facet.standing = 2)
  ), free as materialized (
    select member.request_id, member.wish_id, member.is_core, member.similarity, member.joined_at
    from lacking join wish_members as member on member.wish_id = lacking.id for no key update of member skip locked
  ), chosen as materialized (
    select distinct on (wish_id) wish_id, request_id from free join request_facets as facet using (request_id)
    where facet.standing = 2 order by wish_id, similarity desc nulls last, joined_at, request_id
  )
  update wish_members set is_core = wish_members.request_id = chosen.request_id
    from free join chosen using (wish_id)
    where wish_members.request_id = free.request_id and (free.is_core or free.request_id = chosen.request_id); end
$$;

-- The wishes of these accounts, pair by pair. An account has numbers of its own for a wish that it sees differently.
create function count_account_wishes(account_ids uuid[], wish_ids uuid[]) returns void language plpgsql set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
  begin
    with pairs as materialized (
      select pair.account_id, pair.wish_id,
        -- First what is true of each imported request, so that the rest is not looked up.
        exists (select from account_requests as own join request_facets as facet on facet.request_id = own.request_id
          where own.account_id = pair.account_id and own.request_id = pair.wish_id and (own.standing = 2) <> (facet.standing = 2)
            and not exists (select from wish_members as member where member.request_id = own.request_id))
        or exists (select from account_wish_members as own where own.account_id = pair.account_id and own.wish_id = pair.wish_id)
        or exists (select from account_wish_merges as own where own.account_id = pair.account_id and own.wish_id = pair.wish_id)
        or exists (select from account_wish_merges as own where own.account_id = pair.account_id and own.into_wish_id = pair.wish_id)
        or exists (select from shared_members(pair.wish_id) as member (id) where
          exists (select from account_wish_members as own where own.account_id = pair.account_id and own.request_id = member.id)
          or exists (select from account_requests as own join request_facets as facet on facet.request_id = own.request_id
            where own.account_id = pair.account_id and own.request_id = member.id
              and (own.standing = 2) <> (facet.standing = 2))) as is_own
      from (select distinct * from unnest(account_ids, wish_ids) as given (account_id, wish_id)) as pair
    ), gone as (
      delete from account_wishes using pairs
      where account_wishes.account_id = pairs.account_id and account_wishes.wish_id = pairs.wish_id and not is_own
    )
    insert into account_wishes as known (account_id, wish_id, requests, votes, own_requests, own_votes, platforms, first_asked_at, last_asked_at,
        status, top_request_id)
      select pair.account_id, pair.wish_id, fresh.*
      from pairs as pair cross join lateral (select array(
          select request_id from account_wish_members where account_id = pair.account_id and wish_id = pair.wish_id
          union all
          select shared.id from (
              select pair.wish_id as id where not exists (
                select from account_wish_merges where account_id = pair.account_id and wish_id = pair.wish_id)
              union
              select wish_id from account_wish_merges where account_id = pair.account_id and into_wish_id = pair.wish_id
            ) as source cross join lateral shared_members(source.id) as shared (id)
          where not exists (select from account_wish_members as own
            where own.account_id = pair.account_id and own.request_id = shared.id)
        ) as ids offset 0) as member cross join lateral wish_numbers(member.ids, pair.account_id) as fresh
      where is_own
      on conflict (account_id, wish_id) do update set requests = excluded.requests, votes = excluded.votes,
        own_requests = excluded.own_requests, own_votes = excluded.own_votes, platforms = excluded.platforms,
        first_asked_at = excluded.first_asked_at, last_asked_at = excluded.last_asked_at, status = excluded.status,
        top_request_id = excluded.top_request_id
      where (known.requests, known.votes, known.own_requests, known.own_votes, known.platforms, known.first_asked_at, known.last_asked_at,
        known.status, known.top_request_id) is distinct from (excluded.requests, excluded.votes, excluded.own_requests,
        excluded.own_votes, excluded.platforms, excluded.first_asked_at, excluded.last_asked_at, excluded.status,
        excluded.top_request_id);
  end
$$;

-- Counts again the wishes that these requests are in, the wishes that requests left, and the wishes of these accounts, pair by pair.
-- Each count begins after the locks, so it has what others committed before, and they count after this transaction what they change.
create function recount_wishes(changed_ids uuid[], left_ids uuid[], account_ids uuid[], account_wish_ids uuid[]) returns void language plpgsql set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
  declare
    has_views boolean := exists (select from account_wishes) or exists (select from account_requests)
      or exists (select from account_wish_members) or exists (select from account_wish_merges);
    wish_ids uuid[];
  begin
    -- What a listed imported request has is in no public number: as a wish by itself it has a row that says so.
    insert into wishes (id) select request_id from request_facets as facet
      where request_id = any(changed_ids) and platform = 'import' and standing = 2
        and not exists (select from wish_members as member where member.request_id = facet.request_id)
      order by 1 on conflict do nothing;
    -- Most requests are wishes by themselves that all see alike. That none of these becomes another one meanwhile, their locks ensure.
    wish_ids := array(
      select distinct wish_id from (
        select id, coalesce((select wish_id from wish_members where request_id = id), id) from unnest(changed_ids) as id
        union all
        select null, id from unnest(left_ids) as id
      ) as changed (id, wish_id)
      where exists (select from wishes where wishes.id = changed.wish_id)
        or (has_views and (exists (select from account_wishes as own where own.wish_id = changed.wish_id)
          or exists (select from account_wish_merges as own where own.wish_id = changed.wish_id)
          or exists (select from account_requests as own where own.request_id = changed.id)
          or exists (select from account_wish_members as own where own.request_id = changed.id))));
    if cardinality(wish_ids) = 0 and cardinality(account_ids) = 0 then return; end if;
    perform from wishes where id = any(wish_ids || account_wish_ids) order by id for no key update;
    if has_views or cardinality(account_ids) > 0 then
      select array_agg(account_id), array_agg(wish_id) into account_ids, account_wish_ids from (
        select account_id, wish_id from account_wishes where wish_id = any(wish_ids)
        union
        select account_id, unnest(array[wish_id, into_wish_id]) from account_wish_merges where wish_id = any(wish_ids)
        union
        select account_id, coalesce((select wish_id from wish_members as member where member.request_id = own.request_id), own.request_id)
          from account_requests as own where request_id = any(changed_ids)
        union
        select account_id, unnest(array[wish_id, coalesce(
            (select wish_id from wish_members as member where member.request_id = own.request_id), own.request_id)])
          from account_wish_members as own where request_id = any(changed_ids)
        union
        select * from unnest(account_ids, account_wish_ids)
      ) as pairs (account_id, wish_id);
      -- Two transactions may change the same wish of an account without a shared wish. The number is in src/database/advisory-locks.ts.
      perform pg_advisory_xact_lock(4680016, hash) from (
        select distinct hashtext(account_id::text) as hash from unnest(account_ids) as account_id order by 1) as hashes;
    end if;
    if exists (select from wishes where id = any(wish_ids)) then
      update wishes set (requests, votes, own_requests, own_votes, platforms, first_asked_at, last_asked_at, status, top_request_id) = (
          fresh.requests, fresh.votes, fresh.own_requests, fresh.own_votes, fresh.platforms, fresh.first_asked_at, fresh.last_asked_at,
          fresh.status, fresh.top_request_id)
        from unnest(wish_ids) as changed (id)
          cross join lateral (select array(select shared.id from shared_members(changed.id) as shared (id)) as ids offset 0) as member
          cross join lateral wish_numbers(member.ids, null) as fresh
        where wishes.id = changed.id and (wishes.requests, wishes.votes, wishes.own_requests, wishes.own_votes, wishes.platforms,
          wishes.first_asked_at, wishes.last_asked_at, wishes.status, wishes.top_request_id) is distinct from (fresh.requests,
          fresh.votes, fresh.own_requests, fresh.own_votes, fresh.platforms, fresh.first_asked_at, fresh.last_asked_at, fresh.status,
          fresh.top_request_id);
      perform choose_wish_cores(wish_ids);
    end if;
    if account_ids is not null then perform count_account_wishes(account_ids, account_wish_ids); end if;
  end
$$;
