import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { openTestDatabase, type TestDatabase } from '../../../test/database.ts'
import { foundRequest } from '../../../test/scripted-platform.ts'
import { changeRequests } from '../../../test/stored-requests.ts'
import type { Transaction } from '../../database/open.ts'
import { purgeRequests } from '../../requests/purge/purge.ts'
import { followTexts } from '../../requests/store/copies.ts'
import { deleteRequests } from '../../requests/store/delete.ts'
import { preparePage } from '../../requests/store/prepared-page.ts'
import { storePageAlone } from '../../requests/store/store.ts'
import { claimConsumer } from '../opensearch/indexer.ts'
import { type Row, store } from '../testing.ts'
import {
  backlog,
  type Changes,
  commitPosition,
  deleteReadChanges,
  dropConsumer,
  dropLostConsumers,
  readChanges,
  registerConsumer,
} from './outbox.ts'

// Holds (Search, lists and export): an external search index misses no change beside long transactions, killed readers or concurrent registration

let opened: TestDatabase

beforeAll(async () => {
  opened = await openTestDatabase()
})
beforeEach(() => opened.reset())
afterAll(() => opened.close())

// A topic each: a transaction waits for another one that is storing the same new topic.
const row = (text: string): Row => ({ text, platform: 'github', topic: text })
const storeOne = async (text: string) => (await store(opened.database, [row(text)]))[0]!
const read = async (name = 'index', max = 1_000): Promise<Changes> => {
  const changes = await readChanges(opened.database, name, max)
  if (changes === null) throw new Error(`${name} is not registered`)
  return changes
}
/** Reads and records all that there is. */
async function follow(name = 'index', max = 1_000): Promise<string[]> {
  const ids: string[] = []
  for (let hasMore = true; hasMore; ) {
    const changes = await read(name, max)
    ids.push(...changes.ids)
    expect(await commitPosition(opened.database, name, changes)).toBe(true)
    hasMore = changes.hasMore
  }
  return ids
}
/**
 * Follows until no transaction is open that began before a change: the numbers of transactions are those of the whole server, on which
 * other files have transactions, too, and what may still be read is not deleted.
 */
const followToTheEnd = (...names: string[]) =>
  expect
    .poll(async () => {
      for (const name of names) await follow(name)
      const { rows } = await sql<{ isRead: boolean }>`
        select coalesce(bool_and(pg_snapshot_xmin(position) > (select max(transaction_id) from search_changes)), true) as "isRead"
        from search_consumers where name = any(${names}::text[])`.execute(opened.database)
      return rows[0]!.isRead
    })
    .toBe(true)
const noted = async () => {
  const { rows } = await sql<{ rows: number }>`select count(*)::int as rows from search_changes`.execute(
    opened.database,
  )
  return rows[0]!.rows
}

describe('a consumer of the changes', () => {
  it('reads each changed request once, whatever changed of it', async () => {
    const [changed, quiet] = await store(opened.database, [row('one'), row('two')])
    await registerConsumer(opened.database, 'index')
    expect(await follow()).toEqual([])
    const { database } = opened
    const account = crypto.randomUUID()
    await sql`insert into accounts (id, name, tier, created_at) values (${account}, 'a', 'free', now())`.execute(
      database,
    )
    const statements = [
      sql`update request_texts set text = 'other' where request_id = ${changed}`,
      sql`update requests set votes = 7 where id = ${changed}`,
      sql`update requests set standing = 1 where id = ${changed}`,
      sql`update requests set status = 'open' where id = ${changed}`,
      sql`update requests set tags = '{ui}' where id = ${changed}`,
      sql`update requests set original_created_at = '2020-01-01' where id = ${changed}`,
      sql`insert into account_requests (account_id, request_id, standing) values (${account}, ${changed}, 2)`,
      sql`update account_requests set standing = 0`,
      sql`delete from account_requests`,
      sql`delete from request_topics where request_id = ${changed}`,
      sql`delete from requests where id = ${changed}`,
    ]
    for (const statement of statements) {
      await changeRequests(database, statement)
      expect(await follow()).toEqual([changed])
    }
    // What no index has.
    await changeRequests(database, sql`update requests set comment_count = 5, seen_at = now() where id = ${quiet}`)
    expect(await follow()).toEqual([])
  })

  it('reads a page and its purge, a request once a transaction', async () => {
    await registerConsumer(opened.database, 'index')
    const requests = [foundRequest('1', { title: 'Rose' }), foundRequest('2', { title: 'Tulip' })]
    const page = {
      ...(await preparePage('github', { requests }, null)),
      platform: 'github' as const,
      jobId: null,
      topic: 'flowers',
      now: new Date(),
    }
    await storePageAlone(opened.database, page)
    const { rows } = await sql<{ id: string }>`select id from requests`.execute(opened.database)
    const ids = rows.map(({ id }) => id)
    expect(await noted()).toBe(2)
    expect((await follow()).toSorted()).toEqual(ids.toSorted())
    await purgeRequests(opened.database, { platform: 'github', suppress: false, dryRun: false, now: new Date() })
    expect((await follow()).toSorted()).toEqual(ids.toSorted())
  })

  it('reads again what it did not record, and records only from where it read', async () => {
    await registerConsumer(opened.database, 'index')
    const first = await storeOne('one')
    const lost = await read()
    expect(lost.ids).toEqual([first])
    const second = await storeOne('two')
    const changes = await read()
    expect(changes.ids.toSorted()).toEqual([first, second].toSorted())
    expect(await commitPosition(opened.database, 'index', changes)).toBe(true)
    // A process that stood still meanwhile does not move the position back.
    expect(await commitPosition(opened.database, 'index', lost)).toBe(false)
    expect((await read()).ids).toEqual([])
  })

  it('reads many changes in steps that end with whole transactions', async () => {
    await registerConsumer(opened.database, 'index')
    const ids: string[] = []
    for (let page = 0; page < 7; page++) ids.push(...(await store(opened.database, Array(5).fill(row(`page ${page}`)))))
    const steps: number[] = []
    const seen: string[] = []
    for (let hasMore = true; hasMore; ) {
      const changes = await read('index', 8)
      steps.push(changes.ids.length)
      seen.push(...changes.ids)
      await commitPosition(opened.database, 'index', changes)
      hasMore = changes.hasMore
    }
    expect(steps).toEqual([10, 10, 10, 5])
    expect(seen.toSorted()).toEqual(ids.toSorted())
  })

  it('is none after it was dropped, and nothing is noted without any', async () => {
    await storeOne('before')
    expect(await noted()).toBe(0)
    expect(await readChanges(opened.database, 'index', 10)).toBeNull()
    await registerConsumer(opened.database, 'index')
    const changes = await read()
    await dropConsumer(opened.database, 'index')
    expect(await readChanges(opened.database, 'index', 10)).toBeNull()
    expect(await commitPosition(opened.database, 'index', changes)).toBe(false)
    await storeOne('after')
    expect(await noted()).toBe(0)
  })

  it('begins anew when the database is a copy in another cluster, where transactions have other numbers', async () => {
    await registerConsumer(opened.database, 'index')
    await sql`update search_consumers set position = '900000000:900000000:'`.execute(opened.database)
    expect(await readChanges(opened.database, 'index', 10)).toBeNull()
    await registerConsumer(opened.database, 'index')
    expect((await read()).ids).toEqual([])
  })
})

describe('the backlog', () => {
  it('has the number and the age of the unread changes of each consumer', async () => {
    await registerConsumer(opened.database, 'early')
    await storeOne('one')
    await registerConsumer(opened.database, 'late')
    const id = await storeOne('two')
    await sql`update search_changes set noted_at = noted_at - interval '1 minute'`.execute(opened.database)
    await changeRequests(opened.database, sql`update requests set votes = 1 where id = ${id}`)
    const [early, late] = await backlog(opened.database)
    expect([early?.name, early?.changes, late?.name, late?.changes]).toEqual(['early', 3, 'late', 2])
    for (const one of [early, late]) expect(one?.ageMs).toBeGreaterThanOrEqual(60_000)
    await follow('early')
    expect((await backlog(opened.database))[0]).toEqual({ name: 'early', changes: 0, ageMs: 0 })
  })

  it('is deleted when all consumers have read it, a slice at a time', async () => {
    await registerConsumer(opened.database, 'one')
    await registerConsumer(opened.database, 'two')
    await store(opened.database, Array(5).fill(row('some')))
    await follow('one')
    expect(await deleteReadChanges(opened.database, 2)).toBe(false)
    expect(await noted()).toBe(5)
    await followToTheEnd('one', 'two')
    expect(await deleteReadChanges(opened.database, 2)).toBe(true)
    expect(await noted()).toBe(3)
    while (await deleteReadChanges(opened.database, 2));
    expect(await noted()).toBe(0)
  })

  it('of a consumer that has read nothing for days is deleted with it', async () => {
    await registerConsumer(opened.database, 'alive')
    await registerConsumer(opened.database, 'lost')
    await storeOne('one')
    await followToTheEnd('alive')
    expect(await dropLostConsumers(opened.database)).toEqual([])
    await sql`update search_changes set noted_at = now() - interval '4 days'`.execute(opened.database)
    expect(await dropLostConsumers(opened.database)).toEqual(['lost'])
    await deleteReadChanges(opened.database)
    expect(await noted()).toBe(0)
    expect(await readChanges(opened.database, 'lost', 10)).toBeNull()
  })
})

it('a consumer is claimed while it has something to do', async () => {
  await registerConsumer(opened.database, 'index')
  const claim = async () => (await claimConsumer(opened.database, ['index'], 0))?.id ?? null
  expect(await claim()).toBe('index')
  await sql`update search_consumers set is_copied = true`.execute(opened.database)
  expect(await claim()).toBeNull()
  await storeOne('one')
  expect(await claim()).toBe('index')
})

describe('beside transactions that are open for long', () => {
  /** A transaction that is open until it is ended. */
  async function begin(work: (transaction: Transaction) => Promise<unknown>, fails = false) {
    const began = Promise.withResolvers<void>()
    const goOn = Promise.withResolvers<void>()
    const done = opened.database
      .transaction()
      .execute(async (transaction) => {
        await work(transaction)
        began.resolve()
        await goOn.promise
        if (fails) throw new Error('rolled back')
      })
      .catch((error: Error) => {
        if (error.message !== 'rolled back') throw error
      })
    await began.promise
    return {
      end: () => {
        goOn.resolve()
        return done
      },
    }
  }

  it('a consumer reads later changes at once, and theirs when they end', async () => {
    await registerConsumer(opened.database, 'index')
    let slow = ''
    const open = await begin(async (transaction) => {
      slow = (await store(transaction, [row('slow')]))[0]!
    })
    const failing = await begin((transaction) => store(transaction, [row('never')]), true)
    const quick = await storeOne('quick')
    expect(await follow()).toEqual([quick])
    expect(await follow()).toEqual([])
    await failing.end()
    await open.end()
    const last = await storeOne('last')
    expect((await follow()).toSorted()).toEqual([slow, last].toSorted())
    expect(await follow()).toEqual([])
  })

  it('the log keeps what they have not committed yet', async () => {
    await registerConsumer(opened.database, 'index')
    let slow = ''
    const open = await begin(async (transaction) => {
      slow = (await store(transaction, [row('slow')]))[0]!
    })
    await storeOne('quick')
    await follow()
    await deleteReadChanges(opened.database)
    await open.end()
    await deleteReadChanges(opened.database)
    expect(await follow()).toEqual([slow])
  })

  it('a registration waits for them, so that its copy of all requests has theirs', async () => {
    const open = await begin((transaction) => store(transaction, [row('slow')]))
    let isRegistered = false
    const registering = registerConsumer(opened.database, 'index').then(() => {
      isRegistered = true
    })
    await expect.poll(() => readChanges(opened.database, 'index', 10)).not.toBeNull()
    const later = await storeOne('later')
    expect(isRegistered).toBe(false)
    expect((await read()).ids).toEqual([later])
    await open.end()
    await registering
    const { rows } = await sql<{
      texts: string[]
    }>`select array_agg(text order by text) as texts from request_texts`.execute(opened.database)
    expect(rows[0]?.texts).toEqual(['later', 'slow'])
    expect((await read()).ids).toEqual([later])
  })

  it('a registration that is given up ends', async () => {
    const open = await begin((transaction) => store(transaction, [row('slow')]))
    const giving = new AbortController()
    const registering = registerConsumer(opened.database, 'index', { signal: giving.signal })
    giving.abort(new Error('stopped'))
    await expect(registering).rejects.toThrow('stopped')
    await open.end()
  })
})

/** What an index would have: the texts of all requests, as a consumer copies and follows them. */
async function mirror(copy: Map<string, string>, ids: readonly string[]): Promise<void> {
  const { rows } = await sql<{ id: string; text: string }>`
    select request_id as id, text from request_texts where request_id = any(${[...ids]}::uuid[])`.execute(
    opened.database,
  )
  for (const id of ids) copy.delete(id)
  for (const { id, text } of rows) copy.set(id, text)
}

async function stored(): Promise<Map<string, string>> {
  const { rows } = await sql<{ id: string; text: string }>`select request_id as id, text from request_texts`.execute(
    opened.database,
  )
  return new Map(rows.map(({ id, text }) => [id, text]))
}

describe('a copy of all requests', () => {
  const writers = 4
  const rounds = 25

  it('is equal to them at the end, though it was registered, copied and followed while others wrote', async () => {
    const before = await store(opened.database, Array(20).fill(row('before')))
    let isWriting = true
    const writer = async (number: number) => {
      const own = [...before.slice(number * 5, number * 5 + 5)]
      for (let round = 0; round < rounds; round++) {
        await opened.database
          .transaction()
          .execute(async (transaction) => {
            own.push(...(await store(transaction, [row(`writer ${number} round ${round}`)])))
            const changed = own[(round * 7) % own.length]
            await sql`update request_texts set text = ${`changed in ${round}`} where request_id = ${changed}`.execute(
              transaction,
            )
            await followTexts(transaction, { created: [], changed: changed === undefined ? [] : [changed] })
            const deleted = own.splice((round * 3) % own.length, round % 3 === 0 ? 1 : 0)
            await deleteRequests(
              transaction,
              sql<{ id: string }>`select id from requests where id = any(${deleted}::uuid[]) for update`,
            )
            // Transactions end in another order than they began.
            await sql`select pg_sleep(${((round * 13 + number * 7) % 10) / 500})`.execute(transaction)
            if (round % 5 === 4) throw new Error('rolled back')
          })
          .catch((error: Error) => {
            if (error.message !== 'rolled back') throw error
          })
      }
    }
    const writing = Promise.all(Array.from({ length: writers }, (_, number) => writer(number))).finally(() => {
      isWriting = false
    })
    await registerConsumer(opened.database, 'index')
    const copy = await stored()
    const step = async () => {
      const changes = await read('index', 3)
      await mirror(copy, changes.ids)
      await commitPosition(opened.database, 'index', changes)
      await deleteReadChanges(opened.database, 10)
      return changes.hasMore
    }
    while (isWriting) await step()
    await writing
    while (await step());
    expect(copy).toEqual(await stored())
    await followToTheEnd('index')
    while (await deleteReadChanges(opened.database));
    expect(await noted()).toBe(0)
  })
})
