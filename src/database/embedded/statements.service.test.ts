import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { openTestDatabase, type TestDatabase } from '../../../test/database.ts'

// The embedded database prepares frequent statements; they must behave as on Postgres.

let opened: TestDatabase
beforeAll(async () => {
  opened = await openTestDatabase({ ownDatabase: true })
})
beforeEach(async () => {
  await sql`drop table if exists kept`.execute(opened.database)
  await sql`create table kept (id integer primary key, name text not null)`.execute(opened.database)
})
afterAll(() => opened.close())

const repeat = async <T>(times: number, run: (time: number) => Promise<T>) => {
  const results: T[] = []
  for (let time = 0; time < times; time++) results.push(await run(time))
  return results
}
const repeatAtOnce = <T>(times: number, run: () => Promise<T>) => Array.from({ length: times }, run)
const readAll = async () => (await sql`select * from kept order by id`.execute(opened.database)).rows
const add = (id: number) => sql`insert into kept values (${id}, ${`name ${id}`})`.execute(opened.database)

describe('a frequent statement', () => {
  it('gives values of the same types at each run', async () => {
    const moment = new Date('2026-11-22T01:02:03.004Z')
    const uuid = '0190a1b2-0000-7000-8000-00000000000a'
    const values = await repeat(8, async () => {
      const { rows } = await sql`
        select 9007199254740991::bigint as big, 1.50::numeric as exact, 0.5::float8 as half, true as yes, null::text as nothing,
          ${moment}::timestamptz as moment, ${JSON.stringify({ a: [1, null] })}::jsonb as json, ${['a"b\\', '', 'ü{}']}::text[] as texts,
          ${[1, -2]}::int[] as numbers, ${[1, null]}::bigint[] as bigs, ${[uuid]}::uuid[] as ids, ${Buffer.from([0, 255, 39])}::bytea as bytes, ${''}::text as empty,
          ${'\\x00\n\u{1f600}'}::text as odd, ${12}::integer as number, ${false}::boolean as no, array[]::text[] as none`.execute(
        opened.database,
      )
      return rows[0]
    })
    for (const one of values) {
      expect(one).toEqual({
        big: 9007199254740991,
        exact: '1.50',
        half: 0.5,
        yes: true,
        nothing: null,
        moment,
        json: { a: [1, null] },
        texts: ['a"b\\', '', 'ü{}'],
        numbers: [1, -2],
        bigs: [1, null],
        ids: [uuid],
        bytes: Buffer.from([0, 255, 39]),
        empty: '',
        odd: '\\x00\n\u{1f600}',
        number: 12,
        no: false,
        none: [],
      })
    }
  })

  it('reads a table as it is now, however it was changed', async () => {
    await add(1)
    await repeat(6, readAll)
    await sql`alter table kept add column votes integer not null default 7`.execute(opened.database)
    expect(await repeat(4, readAll)).toEqual(Array(4).fill([{ id: 1, name: 'name 1', votes: 7 }]))
    await opened.embedded?.exec('alter table kept drop column name')
    if (opened.embedded) expect(await repeat(4, readAll)).toEqual(Array(4).fill([{ id: 1, votes: 7 }]))
    await sql`drop table kept`.execute(opened.database)
    await expect(readAll()).rejects.toMatchObject({ code: '42P01' })
    await sql`create table kept (id integer primary key, other text)`.execute(opened.database)
    expect(await readAll()).toEqual([])
  })

  it('can fail, and be run again', async () => {
    await repeat(4, add)
    for (const id of [1, 1, 10, 2, 11, 12, 13, 3, 14]) {
      if (id < 10) await expect(add(id)).rejects.toMatchObject({ code: '23505', constraint: 'kept_pkey' })
      else await add(id)
    }
    expect(await readAll()).toHaveLength(9)
  })

  it('can fail in a transaction with statements after it, and be run again', async () => {
    await repeat(4, add)
    const failing = opened.database.transaction().execute(async (transaction) => {
      const again = (id: number) => sql`insert into kept values (${id}, ${`name ${id}`})`.execute(transaction)
      await Promise.allSettled([again(20), again(1), again(21)])
    })
    // In one backend the commit fails, in the other it rolls back silently. Nothing of it stays.
    await failing.catch(() => {})
    await repeat(3, (time) => add(30 + time))
    expect((await readAll()).map((row) => (row as { id: number }).id)).toEqual([0, 1, 2, 3, 30, 31, 32])
  })

  it('that fails at the run that would prepare it fails no concurrent run', async () => {
    const select = (name: string) => sql<{ name: string }>`select ${name}::text as name`.execute(opened.database)
    await repeat(2, () => select('x'))
    // Its third run, which prepares it, is sent after a failure in a transaction, and others run it before that answer arrives.
    const failing = opened.database
      .transaction()
      .execute((transaction) =>
        Promise.all([
          sql`select 1 / ${0}::integer as never`.execute(transaction),
          sql`select ${'inside'}::text as name`.execute(transaction),
        ]),
      )
    const others = Promise.all([select('one'), select('two'), select('three')])
    await expect(failing).rejects.toMatchObject({ code: '22012' })
    expect((await others).map(({ rows }) => rows[0]?.name)).toEqual(['one', 'two', 'three'])
    expect((await select('after')).rows[0]?.name).toBe('after')
  })

  it('whose table is dropped fails with the same error in all concurrent runs', async () => {
    await add(1)
    await repeat(2, readAll)
    await sql`drop table kept`.execute(opened.database)
    const codes = await Promise.all(repeatAtOnce(4, () => readAll().catch(({ code }) => code)))
    expect(codes).toEqual(['42P01', '42P01', '42P01', '42P01'])
  })

  it('runs after a change of its table that was rolled back', async () => {
    await add(1)
    const failing = opened.database.transaction().execute(async (transaction) => {
      await sql`alter table kept add column votes integer`.execute(transaction)
      await repeat(4, () => sql`select * from kept order by id`.execute(transaction))
      throw new Error('taken back')
    })
    await expect(failing).rejects.toThrow('taken back')
    // Once it may meet the table that is gone.
    await readAll().catch(() => {})
    expect(await repeat(3, readAll)).toEqual(Array(3).fill([{ id: 1, name: 'name 1' }]))
  })

  it('with a parameter that cannot be sent does not count as run', async () => {
    const circular: Record<string, unknown> = {}
    circular.self = circular
    const select = (value: unknown) => sql<{ value: unknown }>`select ${value}::text as value`.execute(opened.database)
    await repeat(2, () => select('x'))
    await expect(select(circular)).rejects.toThrow()
    expect(await repeat(3, async () => (await select('y')).rows[0]?.value)).toEqual(['y', 'y', 'y'])
  })

  it('is planned anew when its table has grown', async () => {
    const find = (name: string) => sql`select id from kept where id = ${name.length}`.execute(opened.database)
    await add(0)
    await sql`analyze kept`.execute(opened.database)
    await repeat(150, () => find('x'))
    await sql`insert into kept select n, 'name' from generate_series(1, 20000) as n`.execute(opened.database)
    const scansOf = async () => {
      await sql`select pg_stat_force_next_flush()`.execute(opened.database)
      const { rows } = await sql<{ scans: number }>`
        select seq_scan as scans from pg_stat_user_tables where relname = 'kept'`.execute(opened.database)
      return rows[0]?.scans ?? 0
    }
    await repeat(100, () => find('x'))
    const before = await scansOf()
    await repeat(250, () => find('x'))
    expect((await scansOf()) - before).toBeLessThan(10)
  })

  it('is prepared in place of one that has not run for long', async () => {
    if (!opened.embedded) return
    const run = (number: number) =>
      sql<{ number: number }>`select ${number}::integer as number, ${sql.lit(`text ${number}`)} as text`.execute(
        opened.database,
      )
    for (let round = 0; round < 4; round++) {
      for (let number = 0; number < 300; number++) expect((await run(number)).rows[0]?.number).toBe(number)
    }
    const { rows } = await sql<{ kept: number }>`select count(*) as kept from pg_prepared_statements`.execute(
      opened.database,
    )
    expect(rows[0]?.kept).toBeGreaterThan(100)
    expect(rows[0]?.kept).toBeLessThanOrEqual(200)
  })
})
