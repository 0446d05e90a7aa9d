/** What exact searches read beside the BM25 index: the words of each text, and the columns of requests that they filter, count and order by. */
export const search: readonly string[] = [
  // On Postgres without BM25 the column exists already, and is generated. From now on a trigger writes it: a generated column cannot be
  // added to a full table without rewriting it. Null until a maintenance job has filled it for a request of an older version.
  `do $$ begin
    if exists (select from information_schema.columns where table_schema = current_schema()
      and table_name = 'request_texts' and column_name = 'words') then
      alter table request_texts alter column words drop expression;
    else
      alter table request_texts add column words tsvector;
    end if;
  end $$`,
  `create function fill_request_words() returns trigger language plpgsql as $$
    begin
      new.words := to_tsvector('wishwell', new.text);
      return new;
    end $$`,
  `create trigger fill_request_words before insert or update of text on request_texts
    for each row execute function fill_request_words()`,
  'create index if not exists request_texts_words on request_texts using gin (words)',
  // The planner believes that comparing words is cheap, and would rather read all texts: 10 us each, where the index takes 1 us a match.
  `create function requests_with_words(query tsquery, max_rows bigint) returns setof uuid language plpgsql stable rows 1000
    set enable_seqscan = off as $$
      begin
        return query select request_id from request_texts where words @@ query limit max_rows;
      end
    $$`,
  'create index request_texts_unfilled on request_texts (request_id) where words is null',

  // Copies of the columns of requests that searches filter, order and count by: narrow rows, read by the thousand. Triggers maintain it.
  `create table request_facets (
    request_id uuid primary key references requests on delete cascade,
    platform text not null,
    status text,
    standing smallint not null,
    votes integer not null,
    posted_at timestamptz not null,
    confidence real,
    tags text[] not null
  ) with (fillfactor = 80)`,

  `insert into request_facets (request_id, platform, status, standing, votes, posted_at, confidence, tags)
    select id, platform, status, standing, votes, posted_at, confidence, tags from requests`,
  `create function copy_inserted_facets() returns trigger language plpgsql as $$
    begin
      insert into request_facets (request_id, platform, status, standing, votes, posted_at, confidence, tags)
      select id, platform, status, standing, votes, posted_at, confidence, tags from new_requests;
      return null;
    end $$`,
  `create trigger copy_inserted_facets after insert on requests referencing new table as new_requests
    for each statement execute function copy_inserted_facets()`,
  `create function copy_updated_facets() returns trigger language plpgsql
    set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
    begin
      update request_facets set status = fresh.status, standing = fresh.standing, votes = fresh.votes,
        posted_at = fresh.posted_at, confidence = fresh.confidence, tags = fresh.tags
      from new_requests as fresh join old_requests as previous using (id)
      where request_id = fresh.id
        and (previous.status, previous.standing, previous.votes, previous.posted_at, previous.confidence, previous.tags)
          is distinct from (fresh.status, fresh.standing, fresh.votes, fresh.posted_at, fresh.confidence, fresh.tags);
      return null;
    end $$`,
  `create trigger copy_updated_facets after update on requests
    referencing old table as old_requests new table as new_requests
    for each statement execute function copy_updated_facets()`,

  // Listed texts whose words the vocabulary does not count yet: a maintenance job counts them in slices.
  `create table uncounted_texts (
    request_id uuid primary key references requests on delete cascade
  )`,
]
