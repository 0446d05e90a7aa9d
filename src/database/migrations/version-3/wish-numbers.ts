import { planned, wishCounting, wishOf } from './wish-counting.ts'

/** A statement trigger that calls a procedure with the changed rows. @param call an expression over them, with what it reads from. */
const trigger = (table: string, event: 'insert' | 'update' | 'delete', call: string): string[] => {
  const name = `refresh_wishes_after_${table}_${event}`
  const transition = {
    insert: 'new table as new_rows',
    update: 'old table as old_rows new table as new_rows',
    delete: 'old table as old_rows',
  }[event]
  return [
    `create function ${name}() returns trigger language plpgsql ${planned} as $$
      begin perform ${call}; return null; end $$`,
    `create trigger ${name} after ${event} on ${table} referencing ${transition}
      for each statement execute function ${name}()`,
  ]
}

/** The same for each event. @param rows makes the call from a query for the changed rows, as they were and as they are. */
const triggers = (table: string, call: (rows: string) => string): string[] => [
  ...trigger(table, 'insert', call('select * from new_rows')),
  ...trigger(table, 'update', call('select * from old_rows union select * from new_rows')),
  ...trigger(table, 'delete', call('select * from old_rows')),
]

const ofPairs = (pairs: string) =>
  `refresh_account_wishes(array_agg(account_id), array_agg(wish_id)) from (${pairs}) as pairs`

/** The shared wish of a request and the one that an account sees. */
const wishesSeenOf = (row: string) => `(
  select ${wishOf(`${row}.request_id`)}
  union
  select wish_id from account_wish_members as own
    where own.account_id = ${row}.account_id and own.request_id = ${row}.request_id
  union
  select into_wish_id from account_wish_merges as merge
    where merge.account_id = ${row}.account_id and merge.wish_id = ${wishOf(`${row}.request_id`)}
) as seen (wish_id)`

/**
 * What maintains the numbers of wishes, in the transaction of whatever changes a member. A wish whose members changed is counted again
 * from all of them, in the narrow rows of request_facets: no sum of differences can drift.
 */
export const wishNumbers: readonly string[] = [
  'create index account_wishes_top on account_wishes (account_id, votes desc, wish_id desc) where requests > 0',
  'create index account_wishes_large on account_wishes (account_id, requests desc, wish_id desc) where requests > 0',
  'create index account_wishes_new on account_wishes (account_id, first_asked_at desc, wish_id desc) where requests > 0',
  // What grew lately. Without request_id: the samples of a request must be read by the primary key.
  'create index vote_samples_day on vote_samples (day)',
  ...wishCounting,

  // Only rows that changed are updated there. A new request is in no wish but its own.
  ...trigger(
    'request_facets',
    'update',
    `refresh_wishes_of(array_agg(request_id), array_agg(${wishOf('new_rows.request_id')})) from new_rows`,
  ),
  // The members were deleted with their requests; a wish that an account merged into another one may be that of the request alone.
  ...trigger('requests', 'delete', 'refresh_wishes_of(array_agg(id), array_agg(id)) from old_rows'),
  ...trigger('wishes', 'insert', 'refresh_wishes(array_agg(id)) from new_rows'),
  ...trigger(
    'wish_members',
    'insert',
    `refresh_wishes_of(array_agg(request_id), array_agg(wish)) from new_rows, unnest(array[wish_id, request_id]) as wish`,
  ),
  ...trigger(
    'wish_members',
    'update',
    `refresh_wishes_of(array_agg(request_id), array_agg(wish_id)) from (
      (select request_id, wish_id, is_core from old_rows except select request_id, wish_id, is_core from new_rows)
      union all
      (select request_id, wish_id, is_core from new_rows except select request_id, wish_id, is_core from old_rows)
    ) as changed`,
  ),
  ...trigger(
    'wish_members',
    'delete',
    `refresh_wishes_of(array_agg(request_id), array_agg(wish)) from old_rows, unnest(array[wish_id, request_id]) as wish`,
  ),
  ...triggers('account_requests', (rows) =>
    ofPairs(
      `select changed.account_id, seen.wish_id from (${rows}) as changed cross join lateral ${wishesSeenOf('changed')}`,
    ),
  ),
  ...triggers('account_wish_members', (rows) =>
    ofPairs(`select account_id, wish_id from (${rows}) as placed
      union select changed.account_id, seen.wish_id from (${rows}) as changed cross join lateral ${wishesSeenOf('changed')}`),
  ),
  ...triggers('account_wish_merges', (rows) =>
    ofPairs(`select account_id, unnest(array[wish_id, into_wish_id]) as wish_id from (${rows}) as changed`),
  ),
  // The differences that accounts of version 2 have.
  `do $$ begin perform ${ofPairs('select account_id, request_id as wish_id from account_requests')}; end $$`,
]
