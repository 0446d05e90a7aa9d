import { sql } from 'kysely'
import type { Database, Transaction } from '../src/database/open.ts'
import { recount, type WishChanges } from '../src/requests/wish-numbers/recount.ts'

/** Every wish, as all and as each account see it. */
export async function everyWish(transaction: Transaction): Promise<WishChanges> {
  const { rows } = await sql<Required<WishChanges>>`
    select array(select id from requests) as requests,
      array(select id from wishes union select wish_id from account_wishes union select request_id from wish_members) as left,
      (select coalesce(json_agg(json_build_object('accountId', account_id, 'wishId', wish_id)), '[]') from (
        select account_id, wish_id from account_wishes
        union select account_id, wish_id from account_wish_members
        union select account_id, unnest(array[wish_id, into_wish_id]) from account_wish_merges) as seen) as own`.execute(
    transaction,
  )
  return rows[0]!
}

/** Changes rows as a test needs them, and counts all wishes again. */
export const changeWishes = <T>(database: Database, change: (transaction: Transaction) => Promise<T>): Promise<T> =>
  database.transaction().execute(async (transaction) => {
    const before = await everyWish(transaction)
    const result = await change(transaction)
    await recount(transaction, before, await everyWish(transaction))
    return result
  })

/** Puts requests into a wish that exists or is made, as requests that are no core. */
export const joinWish = (database: Database, wishId: string, ids: readonly string[]): Promise<void> =>
  changeWishes(database, async (transaction) => {
    await sql`insert into wishes (id) values (${wishId}) on conflict do nothing`.execute(transaction)
    await sql`insert into wish_members (request_id, wish_id) select id, ${wishId} from unnest(${[...ids]}::uuid[]) as id`.execute(
      transaction,
    )
  })

/** Takes requests out of their wishes. */
export const leaveWishes = (database: Database, ids: readonly string[]): Promise<void> =>
  changeWishes(database, async (transaction) => {
    await sql`delete from wish_members where request_id = any(${[...ids]}::uuid[])`.execute(transaction)
  })

/**
 * Makes one shared wish of some requests, the first of which is its core.
 * @param similarity how alike the others are to the core
 */
export async function makeWish(database: Database, ids: readonly string[], similarity = 0.8): Promise<string> {
  const wishId = crypto.randomUUID()
  await changeWishes(database, async (transaction) => {
    await sql`insert into wishes (id) values (${wishId})`.execute(transaction)
    await sql`
      insert into wish_members (request_id, wish_id, is_core, similarity)
      select id, ${wishId}, position = 1, case when position > 1 then ${similarity}::real end
      from unnest(${[...ids]}::uuid[]) with ordinality as member (id, position)
      on conflict (request_id) do update set wish_id = excluded.wish_id, is_core = excluded.is_core,
        similarity = excluded.similarity`.execute(transaction)
  })
  return wishId
}
