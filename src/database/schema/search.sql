-- What engines outside of the database follow, and what the index of words is made of.

-- The requests that a transaction changed, created or deleted, in what an index has of them. Append-only: what all consumers read is deleted.
create table search_changes (
  transaction_id xid8 not null default pg_current_xact_id(),
  request_id uuid not null,
  noted_at timestamptz not null default now(),
  primary key (transaction_id, request_id)
);

-- Who follows the log, and how far each has read it.
create table search_consumers (
  name text primary key,
  -- Every change of a transaction that is complete in this snapshot was read.
  position pg_snapshot not null,
  -- Its claim: a process reads for it until that time.
  claimed_by uuid,
  claimed_until timestamptz,
  -- Of one that copies all requests first, in the order of their ids: how far it is. Null when nothing is copied yet.
  copied_through uuid,
  is_copied boolean not null default false
);

-- The indexes of requests in a cluster, of which searches read the one that serves. Each has the consumer of its name.
create table search_indexes (
  name text primary key,
  -- The name that stands for the index that serves, the same for all of them.
  alias text not null,
  state text not null check (state in ('creating', 'building', 'serving', 'retired')),
  -- The version of what the index has of a request.
  mapping integer not null,
  shards smallint not null,
  created_at timestamptz not null default now(),
  -- Since when it is in its state.
  state_since timestamptz not null default now()
);

create function searched_words(id uuid, words_version integer) returns tsvector language sql immutable
  BEGIN ATOMIC
 SELECT request_texts.words
    FROM request_texts
   WHERE (request_texts.request_id = searched_words.id);
END;

create function word_weights(id uuid, words_version integer) returns text[] language sql immutable parallel safe
  BEGIN ATOMIC
 SELECT COALESCE(array_agg(((weighed.lexeme || '~'::text) || chr((97 + (LEAST((11)::double precision, floor((((3)::double precision * ln(weighed.ratio)) / ln((2)::double precision)))))::integer)))) FILTER (WHERE (weighed.ratio >= (1)::double precision)), '{}'::text[]) AS "coalesce"
    FROM ( SELECT counted.lexeme,
             ((counted.frequency)::double precision / ((1.2)::double precision * ((0.25)::double precision + (((0.75)::double precision * counted.length) / (100)::double precision)))) AS ratio
            FROM ( SELECT unnest.lexeme,
                     cardinality(unnest.positions) AS frequency,
                     (sum(cardinality(unnest.positions)) OVER ())::double precision AS length
                    FROM request_texts,
                     LATERAL unnest(request_texts.words) unnest(lexeme, positions, weights)
                   WHERE (request_texts.request_id = word_weights.id)) counted) weighed;
END;

create table searchable_requests (
  request_id uuid primary key,
  platform text not null,
  status text,
  standing smallint not null,
  votes integer not null,
  posted_at timestamptz not null,
  tags text[] not null,
  product text,
  words_version integer not null default 0
) with (fillfactor = 80);
create index searchable_requests_words on searchable_requests using gin (searched_words(request_id, words_version));
create index searchable_requests_sample on searchable_requests using gin (searched_words(request_id, words_version)) with (fastupdate=off) where request_id < '08000000-0000-0000-0000-000000000000';

create function requests_with_words(query tsquery, min_standing smallint, max_rows bigint) returns setof searchable_requests language plpgsql stable set enable_seqscan = off set enable_indexscan = off set work_mem = '16MB' as $$
  begin
    return query select * from searchable_requests
      where searched_words(request_id, words_version) @@ query and standing >= min_standing limit max_rows;
  end
$$;

create function sampled_requests_with_words(query tsquery, min_standing smallint, max_rows bigint) returns setof searchable_requests language plpgsql stable rows 500 set enable_seqscan = off set enable_indexscan = off as $$
  begin
    return query select * from searchable_requests
      where request_id < '08000000-0000-0000-0000-000000000000'
        and searched_words(request_id, words_version) @@ query and standing >= min_standing limit max_rows;
  end
$$;
