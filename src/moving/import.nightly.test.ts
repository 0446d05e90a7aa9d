import { sql } from 'kysely'
import { beforeAll, describe, expect, it } from 'vitest'
import { readMembers } from './member.ts'
import {
  copyOf,
  dumpOf,
  importInto,
  makeFilledDatabase,
  memoryTarget,
  newDatabase,
  type Place,
  readPlace,
  streamOf,
  withDatabase,
} from './testing.ts'

const change = (place: Place, statement: string) =>
  withDatabase(place, async ({ opened }) => void (await sql.raw(statement).execute(opened.database)), {
    importing: true,
  })

/** Where each member of a dump ends. */
async function endsOf(dump: Buffer): Promise<number[]> {
  const ends: number[] = []
  for await (const { endsAt } of readMembers(streamOf(dump))) ends.push(endsAt)
  return ends
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

describe('an import', () => {
  it('that broke off goes on behind the last stored chunk, also with another dump of the same rows', async () => {
    const target = await newDatabase()
    const ends = await endsOf(dump)
    const stored = ends[20] as number
    await expect(importInto(target, dump.subarray(0, stored + 40))).rejects.toThrow('it is incomplete: it was cut off.')
    const again = (await dumpOf(source)).dump
    const more = ends[30] as number
    await expect(importInto(target, again.subarray(0, more))).rejects.toThrow('it is incomplete')
    const imported = await importInto(target, again)
    expect(imported).toMatchObject({ wasComplete: false, earlierRows: expect.any(Number) })
    expect(imported.earlierRows).toBeGreaterThan(20)
    expect(await readPlace(target)).toEqual(before)
  })

  it('that broke off is not continued with another dump', async () => {
    const target = await newDatabase()
    const ends = await endsOf(dump)
    await expect(importInto(target, dump.subarray(0, ends[3]))).rejects.toThrow('it is incomplete')
    const other = copyOf(source)
    await change(other, `update accounts set name = 'renamed'`)
    const otherDump = (await dumpOf(other)).dump
    await expect(importInto(target, otherDump)).rejects.toThrow(
      'it is another dump than the one whose import was begun here',
    )
    // The right one still can.
    await importInto(target, dump)
    expect(await readPlace(target)).toEqual(before)
  })

  it('is refused into a database that is not empty, and changes nothing there', async () => {
    const target = await newDatabase()
    await change(target, `insert into accounts (name, tier, created_at) values ('someone', 'free', now())`)
    const untouched = await readPlace(target)
    await expect(importInto(target, dump)).rejects.toThrow('the database is not empty (its table accounts has rows)')
    expect(await readPlace(target)).toEqual(untouched)
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
    await expect(importInto(await newDatabase(), forged)).rejects.toThrow(
      /^it has rows of the table accounts that no database takes \(.*tier/,
    )
  })

  it('is done once: the same dump again changes nothing, another one is refused', async () => {
    const target = await newDatabase()
    await importInto(target, dump)
    await change(target, `update accounts set name = 'renamed since'`)
    expect(await importInto(target, dump)).toMatchObject({ wasComplete: true })
    const renamed = (await readPlace(target)).accounts
    expect(renamed).toContainEqual(expect.objectContaining({ name: 'renamed since' }))
    const otherDump = (await dumpOf(target)).dump
    await expect(importInto(target, otherDump)).rejects.toThrow('it is another dump')
  })

  it('keeps the service from starting until it is complete', async () => {
    const target = await newDatabase()
    const ends = await endsOf(dump)
    await expect(importInto(target, dump.subarray(0, ends.at(-2)))).rejects.toThrow('it is incomplete')
    await expect(withDatabase(target, async () => {})).rejects.toThrow('The import into this database is unfinished')
    await expect(dumpOf(target)).rejects.toThrow('The import into this database is unfinished')
    await importInto(target, dump)
    await withDatabase(target, async () => {})
  })

  it('fails at its end when the rows are not those of the dump', async () => {
    const target = await newDatabase()
    const ends = await endsOf(dump)
    await expect(importInto(target, dump.subarray(0, ends.at(-2)))).rejects.toThrow('it is incomplete')
    await change(target, `update accounts set name = 'changed by another process' where tier = 'pro'`)
    await expect(importInto(target, dump)).rejects.toThrow('The table accounts is not as in the dump')
    await change(target, `update accounts set name = 'default' where tier = 'pro'`)
  })
})

describe('an export', () => {
  it('that broke off is continued where it stopped, and gives the same file', async () => {
    const ends = await endsOf(dump)
    for (const cut of [ends[0], (ends[0] as number) + 5, (ends[12] as number) + 30, ends.at(-2), dump.length]) {
      const continued = await dumpOf(source, memoryTarget(dump.subarray(0, cut)))
      const complete = ends.filter((end) => end <= (cut as number) && end !== dump.length)
      expect(continued.reusedBytes).toBe(complete.at(-1))
      expect(continued.dump.equals(dump)).toBe(true)
    }
  })

  it.each([
    ['a row was changed', `update accounts set name = 'another'`],
    ['a row was added', `insert into judgement_days values ('2026-11-21', 1)`],
    ['a row was deleted', 'delete from vote_samples'],
    ['a row was exchanged', `update judgement_days set day = '2026-11-22'`],
  ])('begins anew when %s meanwhile', async (_what, statement) => {
    const changed = copyOf(source)
    await change(changed, statement)
    const continued = await dumpOf(changed, memoryTarget(dump))
    expect(continued.reusedBytes).toBe(0)
    expect(continued.dump.equals((await dumpOf(changed)).dump)).toBe(true)
  })

  it('begins anew behind a file that is no dump', async () => {
    const continued = await dumpOf(source, memoryTarget(Buffer.from('something else entirely, of some length')))
    expect(continued.reusedBytes).toBe(0)
    expect(continued.dump.equals(dump)).toBe(true)
  })
})
