import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { expect, it, onTestFinished } from 'vitest'
import { openDatabase } from '../../src/database/open.ts'
import { makeWatch } from '../../src/watches/news/testing.ts'
import { campaignSize } from '../campaign-size.ts'
import { childEnvironment } from '../child-environment.ts'
import { copyDatabase } from '../database.ts'

// Holds (Watches, news and channels): `kill -9` at any statement neither loses nor duplicates news, and each report with news has one event

// A month of a watch, while kill -9 meets its reports after any statement. TEST_SEED repeats a run.

const program = fileURLToPath(new URL('dying-news.ts', import.meta.url))
const kills = campaignSize('NEWS_KILLS', { quick: 4, nightly: 50 })
const seed = Number(process.env.TEST_SEED ?? Math.trunc(Math.random() * 2 ** 31))
const days = campaignSize('NEWS_DAYS', { quick: 10, nightly: 30 })

/** Mulberry32: small, and the same everywhere. */
function randomFrom(state: number): () => number {
  let a = state
  return () => {
    a = (a + 0x6d2b79f5) | 0
    let t = Math.imul(a ^ (a >>> 15), 1 | a)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32
  }
}

it(`kill -9 at ${kills} random moments of a month of news loses and doubles nothing (TEST_SEED=${seed})`, {
  timeout: kills * 60_000 + 120_000,
}, async () => {
  const copy = await copyDatabase()
  onTestFinished(() => copy.remove())
  const open = () =>
    openDatabase({
      ...copy.options,
      onCrash: (error) => {
        throw error
      },
    })
  const prepared = await open()
  const watch = await makeWatch(prepared.database, { goal: 'anything' })
  await prepared.close()
  const random = randomFrom(seed)
  const live = async (dieAfter: number | null) => {
    const execArgv = ['--disable-warning=ExperimentalWarning']
    const child = fork(program, { env: childEnvironment, execArgv, stdio: ['ignore', 'ignore', 'inherit', 'ipc'] })
    const ended = once(child, 'exit')
    child.send({ ...copy.options, watch, days, dieAfter })
    return ended
  }
  let killed = 0
  for (let time = 0; time < kills; time++) {
    // About a day of the month has so many statements.
    const [, signal] = await live(5 + Math.trunc(random() * Math.min(100, 4_000 / kills)))
    if (signal === 'SIGKILL') killed++
  }
  expect(killed).toBeGreaterThan(0)
  expect(await live(null)).toEqual([0, null])

  const { database, close } = await open()
  const unreported = await database.selectFrom('watch_runs').select('id').where('reported_at', 'is', null).execute()
  expect(unreported).toEqual([])
  const reports = await database.selectFrom('news_reports').select(['id', 'state']).orderBy('ready_at').execute()
  expect(reports.filter(({ state }) => state !== 'ready')).toEqual([])
  const items = await database.selectFrom('news_items').selectAll().execute()
  // Every request was new once, and every vote was told once.
  expect(items.filter(({ kind }) => kind === 'new').reduce((sum, one) => sum + one.requests_gained, 0)).toBe(days)
  expect(items.reduce((sum, one) => sum + one.votes_gained, 0)).toBe((days * (days - 1)) / 2)
  const events = await database.selectFrom('events').select(['id', 'subject']).orderBy('sequence').execute()
  const told = events.map(({ subject }) => subject.reportId)
  const withNews = new Set(items.map(({ report_id }) => report_id))
  expect(told.toSorted()).toEqual(
    reports
      .map(({ id }) => id)
      .filter((id) => withNews.has(id))
      .toSorted(),
  )
  expect(new Set(events.map(({ id }) => id)).size).toBe(told.length)
  await close()
})
