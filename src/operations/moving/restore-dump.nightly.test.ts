import { createHash } from 'node:crypto'
import { gunzipSync, gzipSync } from 'node:zlib'
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

// Holds (Data): a truncated, damaged or altered dump is refused and changes nothing

const change = (place: Place, statement: string) =>
  withDatabase(place, async ({ opened }) => void (await sql.raw(statement).execute(opened.database)))

/** A dump with another text in its rows, and with the digest that belongs to them. */
function forge(bytes: Buffer, from: string, to: string): Buffer {
  const lines = gunzipSync(bytes).toString().trimEnd().split('\n')
  const end = JSON.parse(lines.pop() ?? '')
  // The first one is the header.
  const rows = lines.map((line, index) => `${index === 0 ? line : line.replace(from, to)}\n`).join('')
  const sha256 = createHash('sha256').update(rows).digest('hex')
  return gzipSync(`${rows}${JSON.stringify({ ...end, sha256 })}\n`)
}

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

  it.each([
    ['as it is', '\0', 'invalid byte sequence for encoding "UTF8": 0x00'],
    ['escaped', '\\u0000', 'unsupported Unicode escape sequence'],
  ])('says so of a character NUL, %s', async (_how, nul, reason) => {
    const target = await newDatabase()
    const empty = await readPlace(target)
    const forged = forge(dump, '"name":"', `"name":"${nul}`)
    await expect(restoreInto(target, forged)).rejects.toThrow(
      `it has rows of the table accounts that no database takes (${reason}).`,
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
