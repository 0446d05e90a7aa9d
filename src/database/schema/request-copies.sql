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

-- Compared with the copies: joining the transition tables, which have no index, compares each row with each.
create function refresh_request_topics() returns trigger language plpgsql set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
  begin
    update request_topics as copy set posted_at = fresh.posted_at, votes = fresh.votes, tags = fresh.tags,
      standing = fresh.standing
    from new_requests as fresh
    where request_id = fresh.id
      and (copy.posted_at, copy.votes, copy.tags, copy.standing)
        is distinct from (fresh.posted_at, fresh.votes, fresh.tags, fresh.standing);
    return null;
  end
$$;
create trigger refresh_request_topics after update on requests
  referencing old table as old_requests new table as new_requests for each statement execute function refresh_request_topics();

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

create function copy_inserted_facets() returns trigger language plpgsql as $$
  begin
    insert into request_facets (request_id, platform, status, standing, votes, posted_at, confidence, tags)
    select id, platform, status, standing, votes, posted_at, confidence, tags from new_requests;
    return null;
  end
$$;
create trigger copy_inserted_facets after insert on requests
  referencing new table as new_requests for each statement execute function copy_inserted_facets();

create function copy_updated_facets() returns trigger language plpgsql set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
  begin
    -- Compared with the copies: transition tables have no index, so joining both would compare each row with each other one.
    update request_facets as copy set status = fresh.status, standing = fresh.standing, votes = fresh.votes,
      posted_at = fresh.posted_at, confidence = fresh.confidence, tags = fresh.tags
    from new_requests as fresh
    where request_id = fresh.id
      and (copy.status, copy.standing, copy.votes, copy.posted_at, copy.confidence, copy.tags)
        is distinct from (fresh.status, fresh.standing, fresh.votes, fresh.posted_at, fresh.confidence, fresh.tags);
    update searchable_requests as copy set status = fresh.status, standing = fresh.standing, votes = fresh.votes,
      posted_at = fresh.posted_at, tags = fresh.tags
    from new_requests as fresh
    where request_id = fresh.id
      and (copy.status, copy.standing, copy.votes, copy.posted_at, copy.tags)
        is distinct from (fresh.status, fresh.standing, fresh.votes, fresh.posted_at, fresh.tags);
    return null;
  end
$$;
create trigger copy_updated_facets after update on requests
  referencing new table as new_requests for each statement execute function copy_updated_facets();

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

create function delete_derived_rows() returns trigger language plpgsql set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
  begin
    delete from request_facets using gone where request_facets.request_id = gone.id;
    delete from searchable_requests using gone where searchable_requests.request_id = gone.id;
    delete from uncounted_texts using gone where uncounted_texts.request_id = gone.id;
    delete from wish_queue using gone where wish_queue.request_id = gone.id;
    return null;
  end
$$;
create trigger delete_derived_rows after delete on requests
  referencing old table as gone for each statement execute function delete_derived_rows();

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
