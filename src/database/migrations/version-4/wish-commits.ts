/** Plans are cached for the whole session: a plan made while the tables are small must not be a sequential scan. */
const planned = 'set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off'

const procedure = (signature: string, body: string, declared = '') =>
  `create or replace function ${signature} returns void language plpgsql ${planned} as $$
    ${declared === '' ? '' : `declare ${declared}`} begin ${body} end $$`

/** The account wishes that some changed requests, each with a shared wish that it is in or was in, may have changed. */
const changedPairs = `
  select account_id, wish_id from account_wishes where wish_id = any(wish_ids)
  union
  select account_id, unnest(array[wish_id, into_wish_id]) from account_wish_merges where wish_id = any(wish_ids)
  union
  select own.account_id, changed.wish_id from unnest(request_ids, wish_ids) as changed (request_id, wish_id)
    join account_requests as own using (request_id)
  union
  select own.account_id, unnest(array[own.wish_id, changed.wish_id])
    from unnest(request_ids, wish_ids) as changed (request_id, wish_id)
    join account_wish_members as own using (request_id)`

/**
 * Wishes are counted at the end of the transaction that changed them, not in each of its statements: all of them are known then, so their
 * locks are taken in one order, and only while the transaction commits (decision 052).
 */
export const wishCommits: readonly string[] = [
  // What the transaction changed; it takes its rows away before it ends, so no other one ever sees any. Arrays, as few rows as statements.
  `create unlogged table wish_changes (
    -- Changed requests, each with a shared wish that it is in or was in; without requests the wishes alone.
    request_ids uuid[],
    wish_ids uuid[],
    -- Wishes as accounts see them.
    account_ids uuid[],
    account_wish_ids uuid[]
  )`,
  'alter function refresh_wishes(uuid[]) rename to count_wishes',
  'alter function refresh_account_wishes(uuid[], uuid[]) rename to count_account_wishes',

  // The triggers of version 3 call these.
  procedure(
    'refresh_wishes(wish_ids uuid[])',
    'if cardinality(wish_ids) > 0 then insert into wish_changes (wish_ids) values (wish_ids); end if;',
  ),
  procedure(
    'refresh_account_wishes(account_ids uuid[], wish_ids uuid[])',
    `if cardinality(account_ids) > 0 then
      insert into wish_changes (account_ids, account_wish_ids) values (account_ids, wish_ids);
    end if;`,
  ),
  // Most requests are wishes by themselves that all see alike. That none of these becomes another one meanwhile, their locks ensure.
  procedure(
    'refresh_wishes_of(request_ids uuid[], wish_ids uuid[])',
    `if request_ids is null or cardinality(request_ids) = 0 then return; end if;
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
      having count(*) > 0;`,
    'has_views boolean;',
  ),

  // A member that another transaction has locked is being moved or deleted: that one counts the wish after this one.
  procedure(
    'choose_wish_cores(wish_ids uuid[])',
    `with lacking as materialized (
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
      where wish_members.request_id = free.request_id and (free.is_core or free.request_id = chosen.request_id);`,
  ),
  // Each count begins after the locks, so it has what others committed before, and they count after this transaction what they change.
  `create function count_changed_wishes() returns trigger language plpgsql ${planned} as $$
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
      from (${changedPairs} union select * from unnest(account_ids, account_wish_ids)) as pairs (account_id, wish_id);
      -- Two transactions may change the same wish of an account without a shared wish. The number is in src/database/advisory-locks.ts.
      perform pg_advisory_xact_lock(4680016, hash) from (
        select distinct hashtext(account_id::text) as hash from unnest(account_ids) as account_id order by 1) as hashes;
      if wish_ids is not null then perform count_wishes(wish_ids); end if;
      perform count_account_wishes(account_ids, account_wish_ids);
      return null;
    end $$`,
  // Corrections say where requests of this page belong: nothing else may change a membership then. A page that knows it has the lock already.
  `create function lock_memberships() returns trigger language plpgsql ${planned} as $$
    begin
      if exists (select from wish_placings) and exists (
        select from new_requests as fresh join wish_placings on source_hash = encode(sha256(
          convert_to(fresh.platform, 'UTF8') || '\\x00696400'::bytea || convert_to(fresh.source_id, 'UTF8')), 'hex')) then
        -- The number is in src/database/advisory-locks.ts.
        perform pg_advisory_xact_lock(4680011);
      end if;
      return null;
    end $$`,
  // Its name comes before that of place_corrected_requests, so it is called before.
  `create trigger lock_memberships after insert on requests referencing new table as new_requests
    for each statement execute function lock_memberships()`,
  `create constraint trigger count_changed_wishes after insert on wish_changes
    deferrable initially deferred for each row execute function count_changed_wishes()`,
]
