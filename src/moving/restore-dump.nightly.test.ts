import { sql } from 'kysely'
import { beforeAll, describe, expect, it } from 'vitest'
import {
  copyOf,
  dumpOf,
  makeFilledDatabase,
  newDatabase,
  type Place,
  readPlace,
  restoreInto,
  withDatabase,
} from './testing.ts'

const change = (place: Place, statement: string) =>
  withDatabase(place, async ({ opened }) => void (await sql.raw(statement).execute(opened.database)))

let source: Place
let dump: Buffer
let before: Awaited<ReturnType<typeof readPlace>>
beforeAll(async () => {
  const filled = await makeFilledDatabase()
  source = filled.place
  dump = (await dumpOf(source)).dump
  before = await readPlace(source)
  return filled.remove
})

describe('restoring a dump', () => {
  it('that is cut off at its very end leaves the database empty, and it can be restored then', async () => {
    const target = await newDatabase()
    const empty = await readPlace(target)
    await expect(restoreInto(target, dump.subarray(0, -1))).rejects.toThrow('it is incomplete: it was cut off.')
    expect(await readPlace(target)).toEqual(empty)
    await restoreInto(target, dump)
    expect(await readPlace(target)).toEqual(before)
  })

  it('is refused into a database that is not empty, also for the same dump again, and changes nothing there', async () => {
    const target = await newDatabase()
    await change(target, `insert into accounts (name, tier, created_at) values ('someone', 'free', now())`)
    const untouched = await readPlace(target)
    await expect(restoreInto(target, dump)).rejects.toThrow('the database is not empty (its table accounts has rows)')
    expect(await readPlace(target)).toEqual(untouched)
    const full = await newDatabase()
    await restoreInto(full, dump)
    await expect(restoreInto(full, dump)).rejects.toThrow('the database is not empty')
    expect(await readPlace(full)).toEqual(before)
  })

  it('says in a sentence which table has a row that no database takes', async () => {
    const forger = copyOf(source)
    await change(
      forger,
      `do $$ declare name text; begin
        for name in select conname from pg_constraint where conrelid = 'accounts'::regclass and contype = 'c'
        loop execute format('alter table accounts drop constraint %I', name); end loop;
      end $$`,
    )
    await change(forger, `update accounts set tier = 'gold'`)
    const { dump: forged } = await dumpOf(forger)
    const target = await newDatabase()
    const empty = await readPlace(target)
    await expect(restoreInto(target, forged)).rejects.toThrow(
      /^it has rows of the table accounts that no database takes \(.*tier/,
    )
    expect(await readPlace(target)).toEqual(empty)
  })

  it('fails, and leaves nothing, when another process wrote meanwhile', async () => {
    const target = await newDatabase()
    const write = async () => {
      if (target.databaseUrl === undefined) return
      await change(target, `insert into accounts (name, tier, created_at) values ('someone', 'free', now())`)
    }
    const restored = restoreInto(target, dump, write)
    // The embedded database has one process: nobody can.
    if (target.databaseUrl === undefined) return expect(await restored).toMatchObject({ rows: { accounts: 3 } })
    await expect(restored).rejects.toThrow('another process wrote to the table accounts meanwhile')
    expect((await readPlace(target)).accounts).toHaveLength(1)
  })
})
