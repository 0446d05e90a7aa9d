/** Each request is in one of the indexes of an order: of the likely ones, which most lists read alone, or of all others. */
const orderIndexes = (name: string, column: string) => [
  `create index request_facets_${name}_likely on request_facets (${column} desc, request_id desc) where standing = 2`,
  `create index request_facets_${name}_other on request_facets (${column} desc, request_id desc) where standing <> 2`,
]

/** What makes storing cheaper: words are counted in the background, and fewer indexes change with a request. */
export const storing: readonly string[] = [
  // The process that counts words waits for this, also where another process stored the texts.
  `create function notify_uncounted_texts() returns trigger language plpgsql as $$
    begin
      perform pg_notify('wishwell_uncounted_texts', '');
      return null;
    end $$`,
  `create trigger notify_uncounted_texts after insert on uncounted_texts
    for each statement execute function notify_uncounted_texts()`,

  // A request that changes is written to all of its indexes again, also where only its text or date changed; a narrow copy is not.
  'drop index requests_new, requests_top, requests_new_likely, requests_top_likely',
  ...orderIndexes('new', 'posted_at'),
  ...orderIndexes('top', 'votes'),

  // As in version 2, but compared with the copies: joining the transition tables, which have no index, compares each row with each.
  `create or replace function refresh_request_topics() returns trigger language plpgsql
    set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
    begin
      update request_topics as copy set posted_at = fresh.posted_at, votes = fresh.votes, tags = fresh.tags,
        standing = fresh.standing
      from new_requests as fresh
      where request_id = fresh.id
        and (copy.posted_at, copy.votes, copy.tags, copy.standing)
          is distinct from (fresh.posted_at, fresh.votes, fresh.tags, fresh.standing);
      return null;
    end $$`,
]
