-- What is placed in a wish again, and what people said about it: applied when a request is stored, in the same transaction (decision 047).

-- Without corrections an insert costs one probe. What the operator said about a request decides its shared wish. An account needs a row
-- of its own for a split, and for a merge where the shared wish does not lead to the right one.
create function place_corrected_requests() returns trigger language plpgsql set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
    declare
      fresh_ids uuid[];
    begin
      if not exists (select from wish_placings) then
        return null;
      end if;
      with linked as (
        update wish_placings set request_id = fresh.id from new_requests as fresh where source_hash = encode(sha256(
  convert_to(fresh.platform, 'UTF8') || '\x00696400'::bytea || convert_to(fresh.source_id, 'UTF8')), 'hex')
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
          on placed.source_hash = encode(sha256(
  convert_to(requests.platform, 'UTF8') || '\x00696400'::bytea || convert_to(requests.source_id, 'UTF8')), 'hex') and placed.account_id is null
        order by 1
        on conflict do nothing;
      insert into wish_members (request_id, wish_id, is_core)
        select requests.id, placed.wish_id,
          row_number() over (partition by placed.wish_id order by requests.standing desc, requests.votes desc, requests.id) = 1
            and not exists (select from wish_members as core where core.wish_id = placed.wish_id and core.is_core)
        from unnest(fresh_ids) as fresh (id) join requests on requests.id = fresh.id
        join wish_placings as placed
          on placed.source_hash = encode(sha256(
  convert_to(requests.platform, 'UTF8') || '\x00696400'::bytea || convert_to(requests.source_id, 'UTF8')), 'hex') and placed.account_id is null
        on conflict do nothing;
      insert into account_wish_members (account_id, request_id, wish_id, correction_id)
        select placed.account_id, requests.id, placed.wish_id, placed.correction_id
        from unnest(fresh_ids) as fresh (id) join requests on requests.id = fresh.id
        join wish_placings as placed
          on placed.source_hash = encode(sha256(
  convert_to(requests.platform, 'UTF8') || '\x00696400'::bytea || convert_to(requests.source_id, 'UTF8')), 'hex') and placed.account_id is not null
        left join wish_members as member on member.request_id = requests.id
        left join account_wish_merges as merged
          on merged.account_id = placed.account_id and merged.wish_id = coalesce(member.wish_id, requests.id)
        where placed.is_split or placed.wish_id <> coalesce(merged.into_wish_id, member.wish_id, requests.id)
        on conflict do nothing;
      return null;
    end
$$;
create trigger place_corrected_requests after insert on requests
  referencing new table as new_requests for each statement execute function place_corrected_requests();

-- Corrections say where requests of this page belong: nothing else may change a membership then. A page that knows it has the lock already.
-- Its name comes before that of place_corrected_requests, so it is called before.
create function lock_memberships() returns trigger language plpgsql set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
  begin
    if exists (select from wish_placings) and exists (
      select from new_requests as fresh join wish_placings on source_hash = encode(sha256(
        convert_to(fresh.platform, 'UTF8') || '\x00696400'::bytea || convert_to(fresh.source_id, 'UTF8')), 'hex')) then
      -- The number is in src/database/advisory-locks.ts.
      perform pg_advisory_xact_lock(4680011);
    end if;
    return null;
  end
$$;
create trigger lock_memberships after insert on requests
  referencing new table as new_requests for each statement execute function lock_memberships();

-- Tells the processes that place requests that there are new ones.
create function notify_wish_queue() returns trigger language plpgsql as $$
  begin
    -- The number is in src/database/advisory-locks.ts.
    if pg_try_advisory_xact_lock(4680015) then
      perform pg_notify('wishwell_uncounted_texts', ''), pg_notify('wishwell_wish_queue', '');
    end if;
    return null;
  end
$$;
create trigger notify_wish_queue after insert on wish_queue
  for each statement execute function notify_wish_queue();
