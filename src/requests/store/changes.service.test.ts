import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { openTestDatabase, type TestDatabase } from '../../../test/database.ts'
import type { Executor } from '../../database/open.ts'
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
describe('the version of the stored requests', () => {
  it('changes with every commit of a change, and with nothing else', async () => {
    await write(opened.database)
    const before = changes.version()
    await sql`insert into accounts (name, tier, created_at) values ('a', 'free', now())`.execute(opened.database)
    expect(changes.version()).toBe(before)
    await write(opened.database)
    const after = changes.version()
    expect(after).not.toBe(before)
    expect(changes.version()).toBe(after)
  })

  it('changes when the words, requests or tables are deleted', async () => {
    const seen = new Set([changes.version()])
    for (const statement of ['insert into search_words values (1, 1)', 'delete from search_words']) {
      await sql.raw(statement).execute(opened.database)
      seen.add(changes.version())
    }
    expect(seen.size).toBe(3)
  })
})
