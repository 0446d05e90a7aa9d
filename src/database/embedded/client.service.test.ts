import { setImmediate } from 'node:timers/promises'
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { campaignSize } from '../../../test/campaign-size.ts'
import { copyDatabase, openTestDatabase, type TestDatabase } from '../../../test/database.ts'
import { isDatabaseUnavailable } from '../errors.ts'
import { openDatabase, openDatabaseFiles } from '../open.ts'
import { type EmbeddedClient, openEmbedded } from './client.ts'
import { databaseIn } from './data-directory.ts'

// Holds (HTTP and secrets): a stop, or closing the embedded database, meets its time limit beside endless work; `/healthz` fails while its thread is silent
// Holds (Data): pipelined statements keep transactions apart, and each gets its own error

// Takes seconds: a database is ended with its thread, and opened again.

const rounds = campaignSize('SCHEDULE_ROUNDS', { quick: 3, nightly: 50 })
const firstSeed = Number(process.env.TEST_SEED ?? Math.floor(Math.random() * 2 ** 31))

/** Numbers from a seed (mulberry32), so that a schedule can be repeated. */
function randomFrom(seed: number) {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

describe('the client of the embedded database', () => {
  let opened: TestDatabase
  let client: EmbeddedClient

  beforeAll(async () => {
    opened = await openTestDatabase({ ownDatabase: true })
    if (opened.embedded === null) throw new Error('not the embedded database')
    client = opened.embedded
    await client.exec('create table counters (name text primary key, value integer not null)')
  })
  beforeEach(() => client.exec(`delete from counters; insert into counters values ('one', 0), ('other', 0)`))
  afterAll(() => opened.close())

  /** Both counters as one statement sees them; a transaction changes them one after the other, so it must see them equal. */
  const readBoth = async () => {
    const { rows } = await client.query<{ value: number }>('select value from counters order by name')
    return rows.map(({ value }) => value)
  }

  /** Adds one to both counters by read and write, with pauses in which other callers run. */
  const addInTransaction = (pause: () => Promise<void>, fault: 'none' | 'throw' | 'statement') =>
    opened.database.transaction().execute(async (transaction) => {
      for (const name of ['one', 'other']) {
        const { rows } = await sql<{ value: number }>`select value from counters where name = ${name}`.execute(
          transaction,
        )
        await pause()
        const next = (rows[0]?.value ?? Number.NaN) + 1
        await sql`update counters set value = ${next} where name = ${name}`.execute(transaction)
        await pause()
        if (fault === 'throw') throw new Error('changed my mind')
        if (fault === 'statement') await sql`select 1 / 0`.execute(transaction).catch(() => {})
      }
    })

  /** One caller's part of a schedule. @returns how often it added, by the answers that it got. */
  async function act(random: () => number): Promise<number> {
    const pause = async () => {
      while (random() < 0.4) await setImmediate()
    }
    let added = 0
    for (let step = 0; step < 8; step++) {
      const choice = random()
      if (choice < 0.3) {
        const [one, other] = await readBoth()
        expect(other).toBe(one)
      } else if (choice < 0.45) {
        await client.query('update counters set value = value + 1')
        added++
      } else if (choice < 0.7) {
        await addInTransaction(pause, 'none')
        added++
      } else if (choice < 0.8) {
        await expect(addInTransaction(pause, 'throw')).rejects.toThrow('changed my mind')
      } else if (choice < 0.9) {
        await expect(addInTransaction(pause, 'statement')).rejects.toThrow()
      } else {
        await expect(client.query('select 1 / 0')).rejects.toMatchObject({ code: '22012' })
      }
      await pause()
    }
    return added
  }

  it('loses no update and isolates open transactions, in random schedules', async () => {
    for (let round = 0; round < rounds; round++) {
      const seed = firstSeed + round
      console.log(`schedule seed: ${seed} (set TEST_SEED to repeat it)`)
      const before = (await readBoth())[0] ?? 0
      const added = await Promise.all(Array.from({ length: 12 }, (_, actor) => act(randomFrom(seed * 100 + actor))))
      const expected = before + added.reduce((sum, one) => sum + one, 0)
      expect(await readBoth()).toEqual([expected, expected])
    }
  })

  it('rejects only the failing ones of statements that were sent together', async () => {
    const answers = await Promise.allSettled(
      Array.from({ length: 40 }, (_, number) => client.query<{ value: number }>(`select 12 / ${number % 4} as value`)),
    )
    for (const [number, answer] of answers.entries()) {
      if (number % 4 === 0) expect(answer).toMatchObject({ status: 'rejected', reason: { code: '22012' } })
      else expect(answer).toMatchObject({ value: { rows: [{ value: 12 / (number % 4) }] } })
    }
  })

  it('answers in the order of the calls, also around transactions', async () => {
    const order: string[] = []
    const note = (name: string) => () => void order.push(name)
    await Promise.all([
      client.query('select 1').then(note('first')),
      client.transaction(async ({ query }) => void (await query('select 2'))).then(note('transaction')),
      client.query('select 3').then(note('second')),
      client.alone(async ({ query }) => void (await query('select 4'))).then(note('alone')),
      client.query('select 5').then(note('last')),
    ])
    expect(order).toEqual(['first', 'transaction', 'second', 'alone', 'last'])
  })

  it('runs `alone` after all earlier statements and before all later ones', async () => {
    let answered = false
    const before = client.query('select pg_sleep(0.1)').then(() => {
      answered = true
    })
    let inside = true
    const alone = client.alone(async ({ query }) => {
      expect(answered).toBe(true)
      await query('select 1')
      await setImmediate()
      inside = false
    })
    await client.query('select 1').then(() => expect(inside).toBe(false))
    await Promise.all([before, alone])
  })

  it('leaves nothing open when several statements at once fail in the middle', async () => {
    const failed = client.exec(`begin; update counters set value = 7; select 1 / 0; commit`)
    const next = readBoth()
    await expect(failed).rejects.toMatchObject({ code: '22012' })
    expect(await next).toEqual([0, 0])
  })

  it('does not commit a transaction in which a statement failed that the caller did not await', async () => {
    const committed = client.transaction(async ({ query }) => {
      await query('update counters set value = 7')
      query('select 1 / 0').catch(() => {})
    })
    await expect(committed).rejects.toMatchObject({ code: '25P02' })
    expect(await readBoth()).toEqual([0, 0])
  })

  it('refuses a statement of a transaction that has ended, and a parameter that cannot be sent', async () => {
    const ended = await client.begin()
    await ended.commit()
    await expect(ended.query('select 1')).rejects.toMatchObject({ code: '25P01' })
    const ending = await client.begin()
    const before = ending.query('select 1')
    const committed = ending.commit()
    // It might be sent after the COMMIT, or fail unnoticed before it.
    await expect(ending.query('select 1')).rejects.toMatchObject({ code: '25P01' })
    await Promise.all([before, committed])
    await expect(client.query('select $1', [() => {}])).rejects.toThrow()
    expect(await readBoth()).toEqual([0, 0])
  })

  it('ends a statement that runs longer than it may, with its thread, and opens again', async () => {
    const copy = await copyDatabase()
    const { promise: crashed, resolve: onCrash } = Promise.withResolvers<Error>()
    const { client: limited, database } = await openDatabaseFiles(databaseIn(copy.options.dataDir), { onCrash })
    // As long as it takes until there is a limit.
    await limited.exec(`create table kept as select 1 as value;
      do $$ begin for i in 1..3 loop perform count(*) from generate_series(1, 300000); end loop; end $$`)
    limited.limitStatements(600_000)
    expect((await sql`select value from kept`.execute(database)).rows).toEqual([{ value: 1 }])
    expect(limited.runningMs()).toBe(0)
    const [endless, waiting] = await Promise.allSettled([
      limited.query('do $$ begin loop end loop; end $$'),
      limited.query('select 2'),
      // From the moment on that it is set.
      limited.limitStatements(300),
    ])
    const reasonOf = (settled: PromiseSettledResult<unknown>) => (settled as PromiseRejectedResult).reason
    expect(reasonOf(endless)).toMatchObject({ code: '57014' })
    expect(isDatabaseUnavailable(reasonOf(endless))).toBe(true)
    // Not ended by the limit itself.
    expect(reasonOf(waiting)).toMatchObject({ message: expect.stringMatching(/^The embedded database is closed/) })
    expect(reasonOf(waiting)).not.toMatchObject({ code: '57014' })
    expect(await crashed).toMatchObject({ code: '57014' })
    await limited.close().catch(() => {})
    const again = await openEmbedded(databaseIn(copy.options.dataDir), onCrash, { closingMs: 300 })
    expect((await again.query('select value from kept')).rows).toEqual([{ value: 1 }])
    // Closing does not wait for a statement that never ends.
    const closing = await Promise.allSettled([again.query('do $$ begin loop end loop; end $$'), again.close()])
    expect(closing).toMatchObject([{ status: 'rejected' }, { status: 'fulfilled' }])
    await copy.remove()
  })

  it('runs all earlier calls before it closes', async () => {
    const copy = await copyDatabase()
    const open = () =>
      openDatabase({
        ...copy.options,
        onCrash: (error) => {
          throw error
        },
      })
    const first = await open()
    await first.embedded?.exec('create table kept (value integer)')
    const writes = Array.from({ length: 50 }, (_, value) =>
      first.embedded?.query('insert into kept values ($1)', [value]),
    )
    await first.close()
    expect((await Promise.allSettled(writes)).filter(({ status }) => status === 'rejected')).toEqual([])
    await expect(sql`select 1`.execute(first.database)).rejects.toThrow()
    const second = await open()
    const { rows } = await sql<{ count: number }>`select count(*)::int as count from kept`.execute(second.database)
    expect(rows).toEqual([{ count: 50 }])
    await second.close()
    await copy.remove()
  })
})
