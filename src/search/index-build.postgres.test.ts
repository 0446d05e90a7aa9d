import { sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { openTestDatabase, type TestDatabase } from '../../test/database.ts'
import type { Executor } from '../database/open.ts'
import { prepareIndex, readIndexState } from './index-build.ts'
import { store, syntheticRow } from './testing.ts'

// Holds (Search, lists and export): one process builds an engine's index beside writes, and again after an interruption

// Takes seconds: ten thousand texts are indexed, three times.

const index = {
  name: 'texts_of_a_test',
  create: async (executor: Executor, how: '' | 'concurrently') => {
    await sql`create index ${sql.raw(how)} texts_of_a_test on request_texts (length(text))`.execute(executor)
  },
}

let opened: TestDatabase
beforeEach(async () => {
  opened = await openTestDatabase({ ownDatabase: true })
})
afterEach(() => opened.close())

const fill = (rows: number) =>
  store(
    opened.database,
    Array.from({ length: rows }, (_, number) => syntheticRow(number)),
  )
const shared = { isShared: true, buildsFullIndex: true }

test('makes a missing index, leaves it as it is at the next start, and makes an interrupted one again', async () => {
  await fill(10)
  const { database } = opened
  const oid = async () =>
    (await sql<{ oid: number }>`select 'texts_of_a_test'::regclass::oid::integer as oid`.execute(database)).rows[0]!.oid
  await prepareIndex(database, index, shared)
  const first = await oid()
  await prepareIndex(database, index, shared)
  expect(await oid()).toBe(first)
  await sql`update pg_index set indisvalid = false where indexrelid = 'texts_of_a_test'::regclass`.execute(database)
  expect(await readIndexState(database, index.name)).toBe('invalid')
  await prepareIndex(database, index, shared)
  expect(await readIndexState(database, index.name)).toBe('valid')
  expect(await oid()).not.toBe(first)
})

describe('the index of a full table', () => {
  beforeEach(() => fill(10_001))

  test('is not built by a service, which names the command that builds it', async () => {
    const prepared = prepareIndex(opened.database, index, { isShared: true, buildsFullIndex: false })
    await expect(prepared).rejects.toThrow('`wishwell admin migrate`')
    expect(await readIndexState(opened.database, index.name)).toBe('missing')
  })

  test('is built while others store: no writer waits for it', async () => {
    const { database } = opened
    const storedBefore = Promise.withResolvers<void>()
    const mayCommit = Promise.withResolvers<void>()
    // The build waits for this one.
    const writing = database.transaction().execute(async (transaction) => {
      await store(transaction, [syntheticRow(20_000)])
      storedBefore.resolve()
      await mayCommit.promise
    })
    await storedBefore.promise
    const building = prepareIndex(database, index, shared)
    const builds = async () => {
      const { rows } = await sql<{ waits: boolean }>`
        select wait_event_type = 'Lock' as waits from pg_stat_activity
        where datname = current_database() and query like 'create index concurrently%'`.execute(database)
      return rows[0]?.waits ?? false
    }
    await expect.poll(builds).toBe(true)
    await database.transaction().execute(async (transaction) => {
      await sql`set local lock_timeout = '2s'`.execute(transaction)
      await store(transaction, [syntheticRow(20_001)])
    })
    mayCommit.resolve()
    await Promise.all([writing, building])
    expect(await readIndexState(database, index.name)).toBe('valid')
  })

  test('is built once by processes that start together', async () => {
    let builds = 0
    const counted = {
      ...index,
      create: (executor: Executor, how: '' | 'concurrently') => {
        builds++
        return index.create(executor, how)
      },
    }
    await Promise.all([1, 2, 3].map(() => prepareIndex(opened.database, counted, shared)))
    expect(builds).toBe(1)
  })
})
