-- What follows from a changed request, in the same transaction (src/requests/store/copies.ts).

create function requests_with_tags(tags text[], max_rows integer) returns setof uuid language plpgsql stable set enable_seqscan = off as $$
  begin
    return query execute 'select id from requests where tags @> $1 limit $2' using tags, max_rows;
  end
$$;

create function requests_of_products(products text[], max_rows integer) returns setof uuid language plpgsql stable set enable_seqscan = off as $$
  begin
    return query execute 'select id from requests where product = any($1) limit $2' using products, max_rows;
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
        posted_at = fresh.posted_at, confidence = fresh.confidence, tags = fresh.tags, product = fresh.product
      from requests as fresh
      where fresh.id = any(ids) and copy.request_id = fresh.id
        and (copy.status, copy.standing, copy.votes, copy.posted_at, copy.confidence, copy.tags, copy.product)
          is distinct from (fresh.status, fresh.standing, fresh.votes, fresh.posted_at, fresh.confidence, fresh.tags, fresh.product)
      returning copy.request_id
    )
    select array_agg(request_id) into changed from written;
    -- The other copies have no column that this one has not.
    if changed is null then return; end if;
    update searchable_requests as copy set status = fresh.status, standing = fresh.standing, votes = fresh.votes,
      posted_at = fresh.posted_at, tags = fresh.tags, product = fresh.product
    from requests as fresh
    where fresh.id = any(changed) and copy.request_id = fresh.id
      and (copy.status, copy.standing, copy.votes, copy.posted_at, copy.tags, copy.product)
        is distinct from (fresh.status, fresh.standing, fresh.votes, fresh.posted_at, fresh.tags, fresh.product);
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

-- The processes that count words, fold counts and place requests wait for this, also where another process stored the texts. Triggers, because all
-- that appends to these tables must wake them.
create function wake_background_work() returns trigger language plpgsql as $$
  begin
    -- The number is in src/database/advisory-locks.ts.
    if pg_try_advisory_xact_lock(4680015) then
      perform pg_notify('wishwell_uncounted_texts', ''), pg_notify('wishwell_wish_queue', '');
    end if;
    return null;
  end
$$;
create trigger wake_background_work after insert on uncounted_texts
  for each statement execute function wake_background_work();
create trigger wake_background_work after insert on topic_deltas
  for each statement execute function wake_background_work();
create trigger wake_background_work after insert on word_deltas
  for each statement execute function wake_background_work();
create trigger wake_background_work after insert on wish_queue
  for each statement execute function wake_background_work();
