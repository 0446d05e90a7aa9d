import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { openTestDatabase, type TestDatabase } from '../../../test/database.ts'
import type { Database, Executor } from '../../database/open.ts'
import { followRequestChanges, type RequestChanges } from './changes.ts'

let opened: TestDatabase
let changes: RequestChanges
beforeAll(async () => {
  opened = await openTestDatabase()
  changes = await followRequestChanges(opened)
})
beforeEach(() => opened.reset())
afterAll(async () => {
  await changes.stop()
  await opened.close()
})

let words = 0
/** Vocabulary is part of answers. */
const write = (executor: Executor) =>
  sql`insert into search_words (word, requests) values (${`word${++words}`}, 1)`.execute(executor)
async function version() {
  await changes.follow()
  return changes.version()
}

/** A transaction that has written and is open until it is ended. */
async function openWriter(database: Database) {
  const written = Promise.withResolvers<void>()
  const ended = Promise.withResolvers<void>()
  const transaction = database.transaction().execute(async (open) => {
    await sql`set local lock_timeout = '2s'`.execute(open)
    await write(open)
    written.resolve()
    await ended.promise
  })
  await Promise.race([written.promise, transaction])
  return {
    commit: () => {
      ended.resolve()
      return transaction
    },
    rollBack: async () => {
      ended.reject(new Error('rolled back'))
      await expect(transaction).rejects.toThrow('rolled back')
    },
  }
}

describe('the version of the stored requests', () => {
  it('changes with every commit of a change, and with nothing else', async () => {
    await write(opened.database)
    const before = await version()
    await sql`insert into accounts (name, tier, created_at) values ('a', 'free', now())`.execute(opened.database)
    expect(await version()).toBe(before)
    await write(opened.database)
    const after = await version()
    expect(after).not.toBe(before)
    expect(await version()).toBe(after)
  })

  it('changes when the words, requests or tables are deleted', async () => {
    const seen = new Set([await version()])
    for (const statement of ['insert into search_words values (1, 1)', 'delete from search_words']) {
      await sql.raw(statement).execute(opened.database)
      seen.add(await version())
    }
    expect(seen.size).toBe(3)
  })
})

describe.runIf(process.env.TEST_BACKEND === 'postgres')('the version of the stored requests on Postgres', () => {
  it('changes at the commit, not before, and not by what was rolled back', async () => {
    await write(opened.database)
    const before = await version()
    const committed = await openWriter(opened.database)
    const rolledBack = await openWriter(opened.database)
    expect(await version()).toBe(before)
    await rolledBack.rollBack()
    expect(await version()).toBe(before)
    await committed.commit()
    expect(await version()).not.toBe(before)
  })

  it('makes no writer wait for another, and has as many rows as there were writers at once', async () => {
    const seen = new Set([await version()])
    for (let round = 0; round < 3; round++) {
      const writers = await Promise.all(Array.from({ length: 6 }, () => openWriter(opened.database)))
      for (const writer of writers.reverse()) {
        await writer.commit()
        seen.add(await version())
      }
    }
    expect(seen.size).toBe(19)
    const rows = await opened.database.selectFrom('answer_versions').selectAll().execute()
    expect(rows).toHaveLength(6)
  })

  it('is written once in a transaction, also after a savepoint that was rolled back', async () => {
    await write(opened.database)
    const countOf = async () =>
      (
        await sql<{ sum: number }>`
      select sum(version)::bigint as sum from answer_versions`.execute(opened.database)
      ).rows[0]?.sum ?? 0
    const before = await countOf()
    await opened.database.transaction().execute(async (open) => {
      await sql`savepoint one`.execute(open)
      await write(open)
      await sql`rollback to savepoint one`.execute(open)
      await write(open)
      await write(open)
    })
    expect(await countOf()).toBe(before + 1)
  })

  it('never has an earlier value, also when the tables were emptied meanwhile', async () => {
    await write(opened.database)
    const before = await version()
    await opened.reset()
    await write(opened.database)
    expect(await version()).not.toBe(before)
  })

  it('sends no notification, which takes a lock of the whole server', async () => {
    const received: (string | null)[] = []
    const stops = await Promise.all(
      ['wishwell_requests', 'after_all'].map((channel) =>
        opened.listen(channel, (payload) => received.push(payload && `${channel} ${payload}`)),
      ),
    )
    await write(opened.database)
    await sql`select pg_notify('after_all', 'heard')`.execute(opened.database)
    await expect.poll(() => received).toContain('after_all heard')
    expect(received.filter((payload) => payload !== null)).toEqual(['after_all heard'])
    await Promise.all(stops.map((stop) => stop()))
  })
})
