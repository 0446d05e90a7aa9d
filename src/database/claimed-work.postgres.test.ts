import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { openTestDatabase, type TestDatabase } from '../../test/database.ts'
import { type ClaimedRow, claimRows, lockClaims, releaseClaims, renewClaim } from './claimed-work.ts'

// Holds (Data): claimed work belongs to one process at a time, and ended claims are taken over

let opened: TestDatabase
beforeAll(async () => {
  opened = await openTestDatabase()
})
beforeEach(async () => {
  await sql`delete from search_consumers`.execute(opened.database)
  await sql`
    insert into search_consumers (name, position)
    select 'index ' || n, pg_current_snapshot() from generate_series(1, 9) as n`.execute(opened.database)
})
afterAll(() => opened.close())

const table = 'search_consumers'
const minute = { claimMs: 60_000, where: sql`true` }
const claim = (max: number, claimMs = 60_000) =>
  claimRows(opened.database, table, { where: sql`name <> 'index 9'`, order: sql`name`, max, claimMs })
const claimOne = async (claimMs?: number): Promise<ClaimedRow> => (await claim(1, claimMs))[0]!
const held = (claims: readonly ClaimedRow[]) =>
  opened.database.transaction().execute((transaction) => lockClaims(transaction, table, claims))

describe('a row', () => {
  it('is claimed by one of those that claim at the same time, and only when it is due', async () => {
    const claims = (await Promise.all(Array.from({ length: 8 }, () => claim(3)))).flat()
    expect(claims.map(({ id }) => id).toSorted()).toEqual([1, 2, 3, 4, 5, 6, 7, 8].map((number) => `index ${number}`))
    expect(await held(claims)).toEqual(new Set(claims.map(({ token }) => token)))
  })

  it('is taken over after its claim has ended, and is lost to whoever had it', async () => {
    const [dead, alive] = [await claimOne(-1), await claimOne()]
    expect(alive.id).toBe(dead.id)
    expect(await held([dead, alive])).toEqual(new Set([alive.token]))
    expect(await renewClaim(opened.database, table, dead, minute)).toBe(false)
    await releaseClaims(opened.database, table, [dead])
    expect(await held([alive])).toEqual(new Set([alive.token]))
  })

  it('is taken over when its claim ends later than any that begins now: the clock was set back', async () => {
    const claimed = await claimOne()
    await sql`update search_consumers set claimed_until = now() + interval '30 days' where name = ${claimed.id}`.execute(
      opened.database,
    )
    expect((await claimOne()).id).toBe(claimed.id)
  })

  it('whose claim is renewed is not taken over', async () => {
    const renewed = await claimOne(-1)
    expect(await renewClaim(opened.database, table, renewed, { ...minute, where: sql`is_copied` })).toBe(false)
    expect(await renewClaim(opened.database, table, renewed, minute)).toBe(true)
    expect((await claimOne()).id).not.toBe(renewed.id)
  })

  it('is free at once when its claim is released', async () => {
    const released = await claimOne()
    await releaseClaims(opened.database, table, [released])
    expect((await claimOne()).id).toBe(released.id)
    expect(await held([released])).toEqual(new Set())
  })
})
