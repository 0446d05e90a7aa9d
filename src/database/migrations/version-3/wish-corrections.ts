/** In SQL what hashIdentity() in store/identity.ts gives for the kind "id". */
const freshHash = `encode(sha256(
  convert_to(fresh.platform, 'UTF8') || '\\x00696400'::bytea || convert_to(fresh.source_id, 'UTF8')), 'hex')`

/** What corrections of wishes follow from, and where they put requests that are collected again (decision 047). */
export const wishCorrections: readonly string[] = [
  `alter table wish_corrections
    -- In which order corrections are applied; the clocks of two processes may differ.
    add column sequence bigint generated always as identity,
    -- A merge puts the requests of from_wish_id into to_wish_id; a split takes requests out of from_wish_id into the new to_wish_id.
    add column from_wish_id uuid not null,
    add column to_wish_id uuid not null`,
  'create index wish_corrections_list on wish_corrections (account_id, sequence desc)',
  `create index wish_corrections_from on wish_corrections (from_wish_id) where kind = 'merge' and undone_at is null`,
  `create index wish_corrections_to on wish_corrections (to_wish_id) where kind = 'merge' and undone_at is null`,

  // Derived from the corrections that hold: the wish that each corrected request belongs to, for an account, or for all (null). By the
  // hash of its id on its platform, so that it holds again after expiry.
  `create table wish_placings (
    account_id uuid references accounts,
    source_hash text not null,
    -- Of the stored request; a trigger sets it when the request is collected again. No foreign key, as in request_corrections.
    request_id uuid not null,
    wish_id uuid not null,
    -- A split names the request itself; a merge names its wish, and the request is only a member of it.
    is_split boolean not null,
    correction_id uuid not null,
    unique nulls not distinct (source_hash, account_id)
  )`,
  'create index wish_placings_wish on wish_placings (wish_id)',

  // Without corrections an insert costs one probe. What the operator said about a request decides its shared wish. An account needs a row
  // of its own for a split, and for a merge where the shared wish does not lead to the right one.
  `create function place_corrected_requests() returns trigger language plpgsql
    set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
    declare
      fresh_ids uuid[];
    begin
      if not exists (select from wish_placings) then
        return null;
      end if;
      with linked as (
        update wish_placings set request_id = fresh.id from new_requests as fresh where source_hash = ${freshHash}
        returning fresh.id
      )
      select array_agg(distinct id) into fresh_ids from linked;
      if fresh_ids is null then
        return null;
      end if;
      insert into wishes (id)
        select distinct placed.wish_id from unnest(fresh_ids) as fresh (id)
        join requests on requests.id = fresh.id
        join wish_placings as placed
          on placed.source_hash = ${freshHash.replaceAll('fresh.', 'requests.')} and placed.account_id is null
        order by 1
        on conflict do nothing;
      insert into wish_members (request_id, wish_id, is_core)
        select requests.id, placed.wish_id,
          row_number() over (partition by placed.wish_id order by requests.standing desc, requests.votes desc, requests.id) = 1
            and not exists (select from wish_members as core where core.wish_id = placed.wish_id and core.is_core)
        from unnest(fresh_ids) as fresh (id) join requests on requests.id = fresh.id
        join wish_placings as placed
          on placed.source_hash = ${freshHash.replaceAll('fresh.', 'requests.')} and placed.account_id is null
        on conflict do nothing;
      insert into account_wish_members (account_id, request_id, wish_id, correction_id)
        select placed.account_id, requests.id, placed.wish_id, placed.correction_id
        from unnest(fresh_ids) as fresh (id) join requests on requests.id = fresh.id
        join wish_placings as placed
          on placed.source_hash = ${freshHash.replaceAll('fresh.', 'requests.')} and placed.account_id is not null
        left join wish_members as member on member.request_id = requests.id
        left join account_wish_merges as merged
          on merged.account_id = placed.account_id and merged.wish_id = coalesce(member.wish_id, requests.id)
        where placed.is_split or placed.wish_id <> coalesce(merged.into_wish_id, member.wish_id, requests.id)
        on conflict do nothing;
      return null;
    end $$`,
  `create trigger place_corrected_requests after insert on requests referencing new table as new_requests
    for each statement execute function place_corrected_requests()`,
]
