-- The numbers of wishes: counted again from all members, when the transaction that changed them commits (decision 052). Plans are cached for the whole
-- session, and one made while the tables are small must not be a sequential scan.

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

create function count_wishes(wish_ids uuid[]) returns void language plpgsql set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
  begin if not exists (select from wishes where id = any(wish_ids)) then return; end if;
     update wishes set (requests, votes, platforms, first_asked_at, last_asked_at, status, top_request_id) = (fresh.requests, fresh.votes, fresh.platforms, fresh.first_asked_at,
         fresh.last_asked_at, fresh.status, fresh.top_request_id)
       from (select distinct id from unnest(wish_ids) as id) as changed
         cross join lateral (
   select count(*)::integer as requests, coalesce(sum(facet.votes), 0)::bigint as votes,
     coalesce(array_agg(distinct facet.platform), '{}') as platforms,
     min(facet.posted_at) as first_asked_at, max(facet.posted_at) as last_asked_at,
     (array['in_progress', 'planned', 'open', 'completed', 'declined', 'closed', 'duplicate'])[min(array_position(array['in_progress', 'planned', 'open', 'completed', 'declined', 'closed', 'duplicate'], facet.status))] as status,
     (array_agg(facet.request_id order by facet.votes desc, facet.confidence desc nulls last, facet.posted_at, facet.request_id))[1]
       as top_request_id
   from (
   select request_id from wish_members where wish_id = changed.id
   union all
   select request_id from request_facets where request_id = changed.id
     and not exists (select from wish_members where wish_members.request_id = changed.id)) as member cross join lateral (
     select * from request_facets where request_facets.request_id = member.request_id offset 0
   ) as facet
   where facet.standing = 2) as fresh
       where wishes.id = changed.id and (wishes.requests, wishes.votes, wishes.platforms, wishes.first_asked_at,
         wishes.last_asked_at, wishes.status, wishes.top_request_id) is distinct from (fresh.requests, fresh.votes, fresh.platforms,
         fresh.first_asked_at, fresh.last_asked_at, fresh.status, fresh.top_request_id);
     perform choose_wish_cores(wish_ids); end
$$;

create function count_account_wishes(account_ids uuid[], wish_ids uuid[]) returns void language plpgsql set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
  begin if account_ids is null or cardinality(account_ids) = 0 then return; end if;
     delete from account_wishes using unnest(account_ids, wish_ids) as pair (account_id, wish_id)
       where account_wishes.account_id = pair.account_id and account_wishes.wish_id = pair.wish_id
         and not (
   exists (select from account_wish_members where account_id = pair.account_id and wish_id = pair.wish_id)
   or exists (select from account_wish_merges where account_id = pair.account_id and wish_id = pair.wish_id)
   or exists (select from account_wish_merges where account_id = pair.account_id and into_wish_id = pair.wish_id)
   or exists (select from (
   select request_id from wish_members where wish_id = pair.wish_id
   union all
   select request_id from request_facets where request_id = pair.wish_id
     and not exists (select from wish_members where wish_members.request_id = pair.wish_id)) as member where
     exists (select from account_wish_members as own
       where own.account_id = pair.account_id and own.request_id = member.request_id)
     or exists (select from account_requests as own join request_facets as facet on facet.request_id = own.request_id
       where own.account_id = pair.account_id and own.request_id = member.request_id
         and (own.standing = 2) <> (facet.standing = 2))));
     insert into account_wishes as known (account_id, wish_id, requests, votes, platforms, first_asked_at, last_asked_at, status, top_request_id)
       select pair.account_id, pair.wish_id, fresh.*
       from (select distinct * from unnest(account_ids, wish_ids) as pairs (account_id, wish_id)) as pair
         cross join lateral (
   select count(*)::integer as requests, coalesce(sum(facet.votes), 0)::bigint as votes,
     coalesce(array_agg(distinct facet.platform), '{}') as platforms,
     min(facet.posted_at) as first_asked_at, max(facet.posted_at) as last_asked_at,
     (array['in_progress', 'planned', 'open', 'completed', 'declined', 'closed', 'duplicate'])[min(array_position(array['in_progress', 'planned', 'open', 'completed', 'declined', 'closed', 'duplicate'], facet.status))] as status,
     (array_agg(facet.request_id order by facet.votes desc, facet.confidence desc nulls last, facet.posted_at, facet.request_id))[1]
       as top_request_id
   from (
   select request_id from account_wish_members where account_id = pair.account_id and wish_id = pair.wish_id
   union all
   select request_id from (
   select pair.wish_id as source_id where not exists (
     select from account_wish_merges where account_id = pair.account_id and wish_id = pair.wish_id)
   union
   select wish_id from account_wish_merges where account_id = pair.account_id and into_wish_id = pair.wish_id) as source cross join lateral (
   select request_id from wish_members where wish_id = source.source_id
   union all
   select request_id from request_facets where request_id = source.source_id
     and not exists (select from wish_members where wish_members.request_id = source.source_id)) as shared
   where not exists (select from account_wish_members as own
     where own.account_id = pair.account_id and own.request_id = shared.request_id)) as member cross join lateral (
     select * from request_facets where request_facets.request_id = member.request_id offset 0
   ) as facet
   where coalesce((select own.standing from account_requests as own
             where own.account_id = pair.account_id and own.request_id = facet.request_id), facet.standing) = 2) as fresh
       where (
   exists (select from account_wish_members where account_id = pair.account_id and wish_id = pair.wish_id)
   or exists (select from account_wish_merges where account_id = pair.account_id and wish_id = pair.wish_id)
   or exists (select from account_wish_merges where account_id = pair.account_id and into_wish_id = pair.wish_id)
   or exists (select from (
   select request_id from wish_members where wish_id = pair.wish_id
   union all
   select request_id from request_facets where request_id = pair.wish_id
     and not exists (select from wish_members where wish_members.request_id = pair.wish_id)) as member where
     exists (select from account_wish_members as own
       where own.account_id = pair.account_id and own.request_id = member.request_id)
     or exists (select from account_requests as own join request_facets as facet on facet.request_id = own.request_id
       where own.account_id = pair.account_id and own.request_id = member.request_id
         and (own.standing = 2) <> (facet.standing = 2))))
       on conflict (account_id, wish_id) do update set requests = excluded.requests, votes = excluded.votes,
         platforms = excluded.platforms, first_asked_at = excluded.first_asked_at, last_asked_at = excluded.last_asked_at,
         status = excluded.status, top_request_id = excluded.top_request_id
       where (known.requests, known.votes, known.platforms, known.first_asked_at, known.last_asked_at, known.status,
         known.top_request_id) is distinct from (excluded.requests, excluded.votes, excluded.platforms, excluded.first_asked_at,
         excluded.last_asked_at, excluded.status, excluded.top_request_id); end
$$;

-- Most requests are wishes by themselves that all see alike. That none of these becomes another one meanwhile, their locks ensure.
create function refresh_wishes_of(request_ids uuid[], wish_ids uuid[]) returns void language plpgsql set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
  declare has_views boolean; begin if request_ids is null or cardinality(request_ids) = 0 then return; end if;
  has_views := exists (select from account_wishes) or exists (select from account_requests)
    or exists (select from account_wish_members) or exists (select from account_wish_merges);
  insert into wish_changes (request_ids, wish_ids)
    select array_agg(changed.request_id), array_agg(changed.wish_id)
    from unnest(request_ids, wish_ids) as changed (request_id, wish_id)
    where exists (select from wishes where wishes.id = changed.wish_id)
      or (has_views and (exists (select from account_wishes as own where own.wish_id = changed.wish_id)
        or exists (select from account_wish_merges as own where own.wish_id = changed.wish_id)
        or exists (select from account_requests as own where own.request_id = changed.request_id)
        or exists (select from account_wish_members as own where own.request_id = changed.request_id)))
    having count(*) > 0; end
$$;

create function refresh_wishes_after_request_facets_update() returns trigger language plpgsql set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
  begin perform refresh_wishes_of(array_agg(request_id), array_agg(coalesce((select wish_id from wish_members where wish_members.request_id = new_rows.request_id), new_rows.request_id))) from new_rows; return null; end
$$;
create trigger refresh_wishes_after_request_facets_update after update on request_facets
  referencing old table as old_rows new table as new_rows for each statement execute function refresh_wishes_after_request_facets_update();

create function refresh_wishes_after_wishes_insert() returns trigger language plpgsql set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
  begin perform refresh_wishes(array_agg(id)) from new_rows; return null; end
$$;
create trigger refresh_wishes_after_wishes_insert after insert on wishes
  referencing new table as new_rows for each statement execute function refresh_wishes_after_wishes_insert();

create function refresh_wishes_after_wish_members_insert() returns trigger language plpgsql set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
  begin perform refresh_wishes_of(array_agg(request_id), array_agg(wish)) from new_rows, unnest(array[wish_id, request_id]) as wish; return null; end
$$;
create trigger refresh_wishes_after_wish_members_insert after insert on wish_members
  referencing new table as new_rows for each statement execute function refresh_wishes_after_wish_members_insert();

create function refresh_wishes_after_wish_members_update() returns trigger language plpgsql set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
    begin perform refresh_wishes_of(array_agg(request_id), array_agg(wish_id)) from (
    (select request_id, wish_id, is_core from old_rows except select request_id, wish_id, is_core from new_rows)
    union all
    (select request_id, wish_id, is_core from new_rows except select request_id, wish_id, is_core from old_rows)
  ) as changed; return null; end
$$;
create trigger refresh_wishes_after_wish_members_update after update on wish_members
  referencing old table as old_rows new table as new_rows for each statement execute function refresh_wishes_after_wish_members_update();

create function refresh_wishes_after_wish_members_delete() returns trigger language plpgsql set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
  begin perform refresh_wishes_of(array_agg(request_id), array_agg(wish)) from old_rows, unnest(array[wish_id, request_id]) as wish; return null; end
$$;
create trigger refresh_wishes_after_wish_members_delete after delete on wish_members
  referencing old table as old_rows for each statement execute function refresh_wishes_after_wish_members_delete();

create function refresh_wishes_after_account_wish_members_insert() returns trigger language plpgsql set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
        begin perform refresh_account_wishes(array_agg(account_id), array_agg(wish_id)) from (select account_id, wish_id from (select * from new_rows) as placed
        union select changed.account_id, seen.wish_id from (select * from new_rows) as changed cross join lateral (
    select coalesce((select wish_id from wish_members where wish_members.request_id = changed.request_id), changed.request_id)
    union
    select wish_id from account_wish_members as own
      where own.account_id = changed.account_id and own.request_id = changed.request_id
    union
    select into_wish_id from account_wish_merges as merge
      where merge.account_id = changed.account_id and merge.wish_id = coalesce((select wish_id from wish_members where wish_members.request_id = changed.request_id), changed.request_id)
  ) as seen (wish_id)) as pairs; return null; end
$$;
create trigger refresh_wishes_after_account_wish_members_insert after insert on account_wish_members
  referencing new table as new_rows for each statement execute function refresh_wishes_after_account_wish_members_insert();

create function refresh_wishes_after_account_wish_members_update() returns trigger language plpgsql set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
        begin perform refresh_account_wishes(array_agg(account_id), array_agg(wish_id)) from (select account_id, wish_id from (select * from old_rows union select * from new_rows) as placed
        union select changed.account_id, seen.wish_id from (select * from old_rows union select * from new_rows) as changed cross join lateral (
    select coalesce((select wish_id from wish_members where wish_members.request_id = changed.request_id), changed.request_id)
    union
    select wish_id from account_wish_members as own
      where own.account_id = changed.account_id and own.request_id = changed.request_id
    union
    select into_wish_id from account_wish_merges as merge
      where merge.account_id = changed.account_id and merge.wish_id = coalesce((select wish_id from wish_members where wish_members.request_id = changed.request_id), changed.request_id)
  ) as seen (wish_id)) as pairs; return null; end
$$;
create trigger refresh_wishes_after_account_wish_members_update after update on account_wish_members
  referencing old table as old_rows new table as new_rows for each statement execute function refresh_wishes_after_account_wish_members_update();

create function refresh_wishes_after_account_wish_members_delete() returns trigger language plpgsql set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
        begin perform refresh_account_wishes(array_agg(account_id), array_agg(wish_id)) from (select account_id, wish_id from (select * from old_rows) as placed
        union select changed.account_id, seen.wish_id from (select * from old_rows) as changed cross join lateral (
    select coalesce((select wish_id from wish_members where wish_members.request_id = changed.request_id), changed.request_id)
    union
    select wish_id from account_wish_members as own
      where own.account_id = changed.account_id and own.request_id = changed.request_id
    union
    select into_wish_id from account_wish_merges as merge
      where merge.account_id = changed.account_id and merge.wish_id = coalesce((select wish_id from wish_members where wish_members.request_id = changed.request_id), changed.request_id)
  ) as seen (wish_id)) as pairs; return null; end
$$;
create trigger refresh_wishes_after_account_wish_members_delete after delete on account_wish_members
  referencing old table as old_rows for each statement execute function refresh_wishes_after_account_wish_members_delete();

create function refresh_wishes_after_account_wish_merges_insert() returns trigger language plpgsql set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
  begin perform refresh_account_wishes(array_agg(account_id), array_agg(wish_id)) from (select account_id, unnest(array[wish_id, into_wish_id]) as wish_id from (select * from new_rows) as changed) as pairs; return null; end
$$;
create trigger refresh_wishes_after_account_wish_merges_insert after insert on account_wish_merges
  referencing new table as new_rows for each statement execute function refresh_wishes_after_account_wish_merges_insert();

create function refresh_wishes_after_account_wish_merges_update() returns trigger language plpgsql set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
  begin perform refresh_account_wishes(array_agg(account_id), array_agg(wish_id)) from (select account_id, unnest(array[wish_id, into_wish_id]) as wish_id from (select * from old_rows union select * from new_rows) as changed) as pairs; return null; end
$$;
create trigger refresh_wishes_after_account_wish_merges_update after update on account_wish_merges
  referencing old table as old_rows new table as new_rows for each statement execute function refresh_wishes_after_account_wish_merges_update();

create function refresh_wishes_after_account_wish_merges_delete() returns trigger language plpgsql set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
  begin perform refresh_account_wishes(array_agg(account_id), array_agg(wish_id)) from (select account_id, unnest(array[wish_id, into_wish_id]) as wish_id from (select * from old_rows) as changed) as pairs; return null; end
$$;
create trigger refresh_wishes_after_account_wish_merges_delete after delete on account_wish_merges
  referencing old table as old_rows for each statement execute function refresh_wishes_after_account_wish_merges_delete();

create function refresh_wishes(wish_ids uuid[]) returns void language plpgsql set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
  begin if cardinality(wish_ids) > 0 then insert into wish_changes (wish_ids) values (wish_ids); end if; end
$$;

create function refresh_account_wishes(account_ids uuid[], wish_ids uuid[]) returns void language plpgsql set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
   begin if cardinality(account_ids) > 0 then
    insert into wish_changes (account_ids, account_wish_ids) values (account_ids, wish_ids);
  end if; end
$$;

-- Each count begins after the locks, so it has what others committed before, and they count after this transaction what they change.
create function count_changed_wishes() returns trigger language plpgsql set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
    declare
      request_ids uuid[];
      wish_ids uuid[];
      account_ids uuid[];
      account_wish_ids uuid[];
    begin
      with taken as materialized (delete from wish_changes returning *),
      changed as materialized (
        select distinct one.* from taken
        cross join lateral unnest(taken.request_ids, taken.wish_ids) as one (request_id, wish_id)
      ),
      own as materialized (
        select distinct one.* from taken
        cross join lateral unnest(taken.account_ids, taken.account_wish_ids) as one (account_id, wish_id)
      )
      select (select array_agg(request_id order by request_id, wish_id) from changed),
        (select array_agg(wish_id order by request_id, wish_id) from changed),
        (select array_agg(account_id order by account_id, wish_id) from own),
        (select array_agg(wish_id order by account_id, wish_id) from own)
      into request_ids, wish_ids, account_ids, account_wish_ids;
      -- The first row of a transaction takes all of them.
      if wish_ids is null and account_ids is null then return null; end if;
      perform from wishes where id = any(wish_ids || account_wish_ids) order by id for no key update;
      select array_agg(account_id order by account_id, wish_id), array_agg(wish_id order by account_id, wish_id)
      into account_ids, account_wish_ids
      from (
  select account_id, wish_id from account_wishes where wish_id = any(wish_ids)
  union
  select account_id, unnest(array[wish_id, into_wish_id]) from account_wish_merges where wish_id = any(wish_ids)
  union
  select own.account_id, changed.wish_id from unnest(request_ids, wish_ids) as changed (request_id, wish_id)
    join account_requests as own using (request_id)
  union
  select own.account_id, unnest(array[own.wish_id, changed.wish_id])
    from unnest(request_ids, wish_ids) as changed (request_id, wish_id)
    join account_wish_members as own using (request_id) union select * from unnest(account_ids, account_wish_ids)) as pairs (account_id, wish_id);
      -- Two transactions may change the same wish of an account without a shared wish. The number is in src/database/advisory-locks.ts.
      perform pg_advisory_xact_lock(4680016, hash) from (
        select distinct hashtext(account_id::text) as hash from unnest(account_ids) as account_id order by 1) as hashes;
      if wish_ids is not null then perform count_wishes(wish_ids); end if;
      perform count_account_wishes(account_ids, account_wish_ids);
      return null;
    end
$$;
create constraint trigger count_changed_wishes after insert on wish_changes deferrable initially deferred
  for each row execute function count_changed_wishes();
