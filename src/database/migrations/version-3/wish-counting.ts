/**
 * The status of a wish is the first of these that a likely member has: work on it somewhere, then that it is still wanted somewhere,
 * then how it ended. So a wish is completed only where no member is open.
 */
const statusOrder = "array['in_progress', 'planned', 'open', 'completed', 'declined', 'closed', 'duplicate']"

/**
 * The numbers of a wish from its members: one row.
 * @param members a query for `request_id`.
 * @param isLikely whether the row of `facet` counts.
 */
const numbersOf = (members: string, isLikely: string) => `
  select count(*)::integer as requests, coalesce(sum(facet.votes), 0)::bigint as votes,
    coalesce(array_agg(distinct facet.platform), '{}') as platforms,
    min(facet.posted_at) as first_asked_at, max(facet.posted_at) as last_asked_at,
    (${statusOrder})[min(array_position(${statusOrder}, facet.status))] as status,
    (array_agg(facet.request_id order by facet.votes desc, facet.confidence desc nulls last, facet.posted_at, facet.request_id))[1]
      as top_request_id
  from (${members}) as member cross join lateral (
    select * from request_facets where request_facets.request_id = member.request_id offset 0
  ) as facet
  where ${isLikely}`

const numberColumns = 'requests, votes, platforms, first_asked_at, last_asked_at, status, top_request_id'

/** A request without a row in wish_members belongs to the wish with its own id, also where that has a row in wishes. */
const sharedMembers = (wishId: string) => `
  select request_id from wish_members where wish_id = ${wishId}
  union all
  select request_id from request_facets where request_id = ${wishId}
    and not exists (select from wish_members where wish_members.request_id = ${wishId})`

/** The shared wishes whose members are in a wish as an account sees it, without those that it placed itself. */
const sourcesOf = (account: string, wishId: string) => `
  select ${wishId} as source_id where not exists (
    select from account_wish_merges where account_id = ${account} and wish_id = ${wishId})
  union
  select wish_id from account_wish_merges where account_id = ${account} and into_wish_id = ${wishId}`

/** The members of a wish as an account sees it. */
const accountMembers = (account: string, wishId: string) => `
  select request_id from account_wish_members where account_id = ${account} and wish_id = ${wishId}
  union all
  select request_id from (${sourcesOf(account, wishId)}) as source cross join lateral (${sharedMembers('source.source_id')}) as shared
  where not exists (select from account_wish_members as own
    where own.account_id = ${account} and own.request_id = shared.request_id)`

/** Whether an account may see a wish in other numbers: only then it has a row in account_wishes. */
const isSeenDifferently = (account: string, wishId: string) => `(
  exists (select from account_wish_members where account_id = ${account} and wish_id = ${wishId})
  or exists (select from account_wish_merges where account_id = ${account} and wish_id = ${wishId})
  or exists (select from account_wish_merges where account_id = ${account} and into_wish_id = ${wishId})
  or exists (select from (${sharedMembers(wishId)}) as member where
    exists (select from account_wish_members as own
      where own.account_id = ${account} and own.request_id = member.request_id)
    or exists (select from account_requests as own join request_facets as facet on facet.request_id = own.request_id
      where own.account_id = ${account} and own.request_id = member.request_id
        and (own.standing = 2) <> (facet.standing = 2))))`

/** The shared wish of a request. */
export const wishOf = (requestId: string) =>
  `coalesce((select wish_id from wish_members where wish_members.request_id = ${requestId}), ${requestId})`

/** Plans are cached for the whole session: a plan made while the tables are small must not be a sequential scan. */
export const planned = 'set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off'

const procedure = (signature: string, body: string) =>
  `create function ${signature} returns void language plpgsql ${planned} as $$ begin ${body} end $$`

/** What counts wishes again: in the shared view, for accounts, and all that some changed requests may have changed. */
export const wishCounting: readonly string[] = [
  // A wish with likely members has one of them as its core. Any likely core may stay; else the one most alike to the last one is chosen.
  procedure(
    'choose_wish_cores(wish_ids uuid[])',
    `update wish_members set is_core = wish_members.request_id = chosen.request_id
      from unnest(wish_ids) as lacking (id) cross join lateral (
        select member.request_id from wish_members as member join request_facets as facet using (request_id)
        where member.wish_id = lacking.id and facet.standing = 2
        order by member.similarity desc nulls last, member.joined_at, member.request_id limit 1
      ) as chosen
      where wish_members.wish_id = lacking.id and (is_core or wish_members.request_id = chosen.request_id)
        and not exists (select from wish_members as core join request_facets as facet using (request_id)
          where core.wish_id = lacking.id and core.is_core and facet.standing = 2);`,
  ),
  procedure(
    'refresh_wishes(wish_ids uuid[])',
    `if not exists (select from wishes where id = any(wish_ids)) then return; end if;
    update wishes set (${numberColumns}) = (fresh.requests, fresh.votes, fresh.platforms, fresh.first_asked_at,
        fresh.last_asked_at, fresh.status, fresh.top_request_id)
      from (select distinct id from unnest(wish_ids) as id) as changed
        cross join lateral (${numbersOf(sharedMembers('changed.id'), 'facet.standing = 2')}) as fresh
      where wishes.id = changed.id and (wishes.requests, wishes.votes, wishes.platforms, wishes.first_asked_at,
        wishes.last_asked_at, wishes.status, wishes.top_request_id) is distinct from (fresh.requests, fresh.votes, fresh.platforms,
        fresh.first_asked_at, fresh.last_asked_at, fresh.status, fresh.top_request_id);
    perform choose_wish_cores(wish_ids);`,
  ),
  procedure(
    'refresh_account_wishes(account_ids uuid[], wish_ids uuid[])',
    `if account_ids is null or cardinality(account_ids) = 0 then return; end if;
    delete from account_wishes using unnest(account_ids, wish_ids) as pair (account_id, wish_id)
      where account_wishes.account_id = pair.account_id and account_wishes.wish_id = pair.wish_id
        and not ${isSeenDifferently('pair.account_id', 'pair.wish_id')};
    insert into account_wishes as known (account_id, wish_id, ${numberColumns})
      select pair.account_id, pair.wish_id, fresh.*
      from (select distinct * from unnest(account_ids, wish_ids) as pairs (account_id, wish_id)) as pair
        cross join lateral (${numbersOf(
          accountMembers('pair.account_id', 'pair.wish_id'),
          `coalesce((select own.standing from account_requests as own
            where own.account_id = pair.account_id and own.request_id = facet.request_id), facet.standing) = 2`,
        )}) as fresh
      where ${isSeenDifferently('pair.account_id', 'pair.wish_id')}
      on conflict (account_id, wish_id) do update set requests = excluded.requests, votes = excluded.votes,
        platforms = excluded.platforms, first_asked_at = excluded.first_asked_at, last_asked_at = excluded.last_asked_at,
        status = excluded.status, top_request_id = excluded.top_request_id
      where (known.requests, known.votes, known.platforms, known.first_asked_at, known.last_asked_at, known.status,
        known.top_request_id) is distinct from (excluded.requests, excluded.votes, excluded.platforms, excluded.first_asked_at,
        excluded.last_asked_at, excluded.status, excluded.top_request_id);`,
  ),
  // The changed requests, each with a shared wish that it is in or was in: two arrays of equal length.
  procedure(
    'refresh_wishes_of(request_ids uuid[], wish_ids uuid[])',
    `if request_ids is null or cardinality(request_ids) = 0 then return; end if;
    perform refresh_wishes(wish_ids);
    if exists (select from account_wishes) or exists (select from account_requests) or exists (select from account_wish_members)
      or exists (select from account_wish_merges) then
      perform refresh_account_wishes(array_agg(account_id), array_agg(wish_id)) from (
        select account_id, wish_id from account_wishes where wish_id = any(wish_ids)
        union
        select account_id, unnest(array[wish_id, into_wish_id]) from account_wish_merges where wish_id = any(wish_ids)
        union
        select own.account_id, changed.wish_id from unnest(request_ids, wish_ids) as changed (request_id, wish_id)
          join account_requests as own using (request_id)
        union
        select own.account_id, unnest(array[own.wish_id, changed.wish_id])
          from unnest(request_ids, wish_ids) as changed (request_id, wish_id)
          join account_wish_members as own using (request_id)
      ) as pairs;
    end if;`,
  ),
]
