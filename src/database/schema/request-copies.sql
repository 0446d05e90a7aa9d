-- What a stored, changed or deleted request changes elsewhere, in the same transaction.

create function requests_with_tags(tags text[], max_rows integer) returns setof uuid language plpgsql stable set enable_seqscan = off as $$
  begin
    return query execute 'select id from requests where tags @> $1 limit $2' using tags, max_rows;
  end
$$;

create function requests_on_platforms(platforms text[], max_rows integer) returns setof uuid language plpgsql stable set enable_seqscan = off as $$
  begin
    return query execute 'select id from requests where platform = any($1) limit $2' using platforms, max_rows;
  end
$$;

-- Brings the copies of these requests up to date, with the counts of their topics and the log of changes; what does not differ is not written.
create function refresh_request_copies(ids uuid[]) returns void language plpgsql set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
  declare
    changed uuid[];
    gone request_topics[];
    come request_topics[];
  begin
    with written as (
      update request_facets as copy set status = fresh.status, standing = fresh.standing, votes = fresh.votes,
        posted_at = fresh.posted_at, confidence = fresh.confidence, tags = fresh.tags
      from requests as fresh
      where fresh.id = any(ids) and copy.request_id = fresh.id
        and (copy.status, copy.standing, copy.votes, copy.posted_at, copy.confidence, copy.tags)
          is distinct from (fresh.status, fresh.standing, fresh.votes, fresh.posted_at, fresh.confidence, fresh.tags)
      returning copy.request_id
    )
    select array_agg(request_id) into changed from written;
    -- The other copies have no column that this one has not.
    if changed is null then return; end if;
    update searchable_requests as copy set status = fresh.status, standing = fresh.standing, votes = fresh.votes,
      posted_at = fresh.posted_at, tags = fresh.tags
    from requests as fresh
    where fresh.id = any(changed) and copy.request_id = fresh.id
      and (copy.status, copy.standing, copy.votes, copy.posted_at, copy.tags)
        is distinct from (fresh.status, fresh.standing, fresh.votes, fresh.posted_at, fresh.tags);
    -- The lock of their request keeps the links as they are read here.
    select array_agg(link) into gone from requests as fresh join request_topics as link on link.request_id = fresh.id
    where fresh.id = any(changed)
      and (link.posted_at, link.votes, link.tags, link.standing) is distinct from (fresh.posted_at, fresh.votes, fresh.tags, fresh.standing);
    if gone is not null then
      with written as (
        update request_topics as copy set posted_at = fresh.posted_at, votes = fresh.votes, tags = fresh.tags, standing = fresh.standing
        from unnest(gone) as link join requests as fresh on fresh.id = link.request_id
        where copy.request_id = link.request_id and copy.topic_key = link.topic_key
        returning copy
      )
      select array_agg(copy) into come from written;
      perform note_topic_changes(gone, come);
    end if;
    if exists (select from search_consumers) then
      insert into search_changes (request_id) select unnest(changed) on conflict do nothing;
    end if;
  end
$$;

-- The hash is that of hashIdentity() in store/identity.ts for the kind "id". Without corrections an insert costs one probe.
create function link_request_corrections() returns trigger language plpgsql set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
  begin
    if exists (select from request_corrections) then
      update request_corrections set request_id = fresh.id from new_requests as fresh
      where source_hash = encode(sha256(
        convert_to(fresh.platform, 'UTF8') || '\x00696400'::bytea || convert_to(fresh.source_id, 'UTF8')), 'hex');
    end if;
    return null;
  end
$$;
create trigger link_request_corrections after insert on requests
  referencing new table as new_requests for each statement execute function link_request_corrections();

-- The process that counts words waits for this, also where another process stored the texts.
create function notify_uncounted_texts() returns trigger language plpgsql as $$
  begin
    -- The number is in src/database/advisory-locks.ts.
    if pg_try_advisory_xact_lock(4680015) then
      perform pg_notify('wishwell_uncounted_texts', ''), pg_notify('wishwell_wish_queue', '');
    end if;
    return null;
  end
$$;
create trigger notify_uncounted_texts after insert on uncounted_texts
  for each statement execute function notify_uncounted_texts();
create trigger notify_uncounted_texts after insert on topic_deltas
  for each statement execute function notify_uncounted_texts();
create trigger notify_uncounted_texts after insert on word_deltas
  for each statement execute function notify_uncounted_texts();

-- For each row, but called for the few whose status changed; a page without any pays one comparison a row.
create function note_status_change() returns trigger language plpgsql set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
  declare
    shared_wish uuid;
  begin
    if not exists (select from watch_requests where request_id = new.id and votes is not null) then
      select coalesce((select wish_id from wish_members where request_id = new.id), new.id) into shared_wish;
      if not exists (select from wish_marks where wish_id = shared_wish)
        and not exists (select from account_wish_members as own join wish_marks as mark
          on mark.account_id = own.account_id and mark.wish_id = own.wish_id where own.request_id = new.id)
        and not exists (select from account_wish_merges as own join wish_marks as mark
          on mark.account_id = own.account_id and mark.wish_id = own.into_wish_id where own.wish_id = shared_wish) then
        return null;
      end if;
    end if;
    -- The moment of the service that stores it, as everywhere: the clock of the database may be another one.
    insert into events (account_id, type, subject, created_at) values (null, 'wish.status_changed',
      jsonb_build_object('requestId', new.id, 'status', new.status, 'previousStatus', old.status), new.updated_at);
    return null;
  end
$$;
create trigger note_status_change after update of status on requests
  for each row when (old.status is not null and new.status is distinct from old.status) execute function note_status_change();
