import { afterAll, beforeAll, expect, it } from 'vitest'
import { copyDatabase, type DatabaseCopy } from '../../test/database.ts'
import { type OpenDatabase, openDatabase } from '../database/open.ts'
import { createDatabaseLimiter } from './database-limiter.ts'

// Only a Postgres can be open twice; the embedded database belongs to one process, which counts in its memory.

let copy: DatabaseCopy
const opened: OpenDatabase[] = []
const failTest = (error: Error) => {
  throw error
}
beforeAll(async () => {
  copy = await copyDatabase()
})
afterAll(async () => {
  for (const { close } of opened) await close()
  await copy.remove()
})

it('two processes on one Postgres accept together exactly the limit, 50 times over', async () => {
  for (let process = 0; process < 2; process++) {
    opened.push(await openDatabase({ ...copy.options, poolSize: 20, onCrash: failTest }))
  }
  const limiters = opened.map(({ database }) => createDatabaseLimiter(database))
  for (let round = 0; round < 50; round++) {
    const limit = [1, 2, 10][round % 3] ?? 1
    const calls = limiters.flatMap((limiter) => Array.from({ length: 20 }, () => limiter.take(`round ${round}`, limit)))
    const verdicts = await Promise.all(calls)
    const accepted = verdicts.filter((verdict) => verdict.accepted)
    expect(accepted.map((verdict) => verdict.remaining).sort((a, b) => a - b)).toEqual(
      Array.from({ length: limit }, (_, index) => index),
    )
    for (const { msUntilMore } of verdicts) expect(msUntilMore).toBeGreaterThan(0)
  }
})
