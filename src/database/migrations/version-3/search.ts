/** A 32nd of all ids, which are random. The planner uses the index of the sample only for the same condition. */
const inSample = `request_id < '08000000-0000-0000-0000-000000000000'`

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
  // Of version 2, where Postgres has no BM25: the index of the words is elsewhere now.
  'drop index if exists request_texts_words',
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
    end $$`,
  `create trigger copy_updated_facets after update on requests referencing new table as new_requests
    for each statement execute function copy_updated_facets()`,

  /* The requests whose texts have their words, with copies of what searches filter, count and order by. The index of the words is here, and the words are
     not: its rows are a tenth of those of request_texts, and a common word has its matches on nearly all pages of its table. */
  `create table searchable_requests (
    request_id uuid primary key references requests on delete cascade,
    platform text not null,
    status text,
    standing smallint not null,
    votes integer not null,
    posted_at timestamptz not null,
    tags text[] not null,
    words_version integer not null default 0
  ) with (fillfactor = 80)`,
  /* What the index has of a row. It may be called immutable because whatever changes the words raises words_version, which makes a new entry; no other column is
     in an index, so other changes write none. Parsed now, since the search path is empty while an index is built. */
  `create function searched_words(id uuid, words_version integer) returns tsvector language sql immutable
    begin atomic
      select words from request_texts where request_texts.request_id = id;
    end`,
  `insert into searchable_requests (request_id, platform, status, standing, votes, posted_at, tags)
    select id, platform, status, standing, votes, posted_at, tags
    from requests join request_texts on request_id = id where words is not null`,
  'create index searchable_requests_words on searchable_requests using gin (searched_words(request_id, words_version))',
  /* Where nearly all requests have a word, the planner would rather read all of them, in any order, and the words of each: 30 us a row, where the index takes
     less than 1 us a match, and gives the same first ones each time. The memory holds the rows of 100,000 matches, which else go to a file. */
  `create function requests_with_words(query tsquery, min_standing smallint, max_rows bigint) returns setof searchable_requests
    language plpgsql stable rows 1000 set enable_seqscan = off set enable_indexscan = off set work_mem = '16MB' as $$
      begin
        return query select * from searchable_requests
          where searched_words(request_id, words_version) @@ query and standing >= min_standing limit max_rows;
      end
    $$`,
  // As many as there are, up to max_rows, but no row of them is handed out.
  `create function count_requests_with_words(query tsquery, min_standing smallint, max_rows bigint) returns integer
    language plpgsql stable set enable_seqscan = off set enable_indexscan = off set work_mem = '16MB' as $$
      begin
        return (
          select count(*) from (
            select from searchable_requests
            where searched_words(request_id, words_version) @@ query and standing >= min_standing limit max_rows
          ) as found
        );
      end
    $$`,
  /* A random sample: ids are random, and this is a 32nd of them. A query with many matches in it has very many in all. Entries are written at once, for the
     list of pending ones would be longer than what a query reads of the index. */
  `create index searchable_requests_sample on searchable_requests using gin (searched_words(request_id, words_version))
    with (fastupdate = off) where ${inSample}`,
  `create function sampled_requests_with_words(query tsquery, min_standing smallint, max_rows bigint) returns setof searchable_requests
    language plpgsql stable rows 500 set enable_seqscan = off set enable_indexscan = off as $$
      begin
        return query select * from searchable_requests
          where ${inSample}
            and searched_words(request_id, words_version) @@ query and standing >= min_standing limit max_rows;
      end
    $$`,
  `create function add_searchable_requests() returns trigger language plpgsql as $$
    begin
      insert into searchable_requests (request_id, platform, status, standing, votes, posted_at, tags)
      select id, platform, status, standing, votes, posted_at, tags
      from new_texts join requests on requests.id = new_texts.request_id where words is not null;
      return null;
    end $$`,
  `create trigger add_searchable_requests after insert on request_texts referencing new table as new_texts
    for each statement execute function add_searchable_requests()`,
  // Once for a page, not for each row: what prepares an entry of the index of words is then done once, too.
  `create function change_searched_words() returns trigger language plpgsql as $$
    begin
      update searchable_requests as copy set words_version = words_version + 1
      from new_texts join old_texts using (request_id)
      where copy.request_id = new_texts.request_id and new_texts.words is distinct from old_texts.words;
      -- Of an older version, which had no words until now.
      insert into searchable_requests (request_id, platform, status, standing, votes, posted_at, tags)
      select id, platform, status, standing, votes, posted_at, tags
      from new_texts join requests on requests.id = new_texts.request_id
      where words is not null and not exists (select from searchable_requests as copy where copy.request_id = requests.id);
      return null;
    end $$`,
  `create trigger change_searched_words after update on request_texts
    referencing old table as old_texts new table as new_texts
    for each statement execute function change_searched_words()`,

  // Listed texts whose words the vocabulary does not count yet: a maintenance job counts them in slices.
  `create table uncounted_texts (
    request_id uuid primary key references requests on delete cascade
  )`,
]
