import { openDatabase } from '../../src/database/open.ts'
import { createGoalJudging } from '../../src/watches/news/goal-judging.ts'
import { findDueWatches, makeReport } from '../../src/watches/news/report.ts'
import { endedRun } from '../../src/watches/news/testing.ts'
import { foundRequest } from '../scripted-platform.ts'

// Goes on with a month of a watch, and kills itself after so many statements. Started by interrupted-news.nightly.test.ts.

interface Order {
  databaseUrl: string | undefined
  dataDir: string
  watch: { accountId: string; watchId: string }
  days: number
  /** Null: lives to the end. */
  dieAfter: number | null
}

const start = Date.UTC(2026, 5, 1)

async function run({ watch, days, dieAfter, ...options }: Order): Promise<void> {
  let statements = 0
  const { database, close } = await openDatabase({
    ...options,
    onCrash: (error) => {
      throw error
    },
    onStatement: () => {
      if (dieAfter !== null && ++statements >= dieAfter) process.kill(process.pid, 'SIGKILL')
    },
  })
  const report = async (now: Date) => {
    // Every second report waits to be judged, and is delivered unjudged: the process can die in between.
    const canJudge = now.getUTCDate() % 2 === 0
    for (const { id } of await findDueWatches(database, now, 10))
      await makeReport(database, { watchId: id, canJudge, retention: new Map(), now })
    const judging = createGoalJudging({
      database,
      clock: { now: () => now },
      log: { warn: () => {} },
      config: null,
      retention: new Map(),
    })
    // Several wait where processes died.
    for (let isMore = true; isMore; ) isMore = await judging.judgeNext(new AbortController().signal)
  }
  // As if the time of each claim of a dead process were over: claims go by the clock of the database.
  await database.updateTable('news_reports').set({ claimed_by: null, claimed_until: null }).execute()
  // What a kill left of a run is not this test's: its job begins anew.
  const { ids } = await database
    .selectFrom('scrape_jobs')
    .select((eb) => eb.fn.agg<string[]>('array_agg', ['id']).as('ids'))
    .where('ended_at', 'is', null)
    .executeTakeFirstOrThrow()
  for (const id of ids ?? []) {
    await database.deleteFrom('watch_runs').where('job_id', '=', id).execute()
    await database.deleteFrom('scrape_job_requests').where('job_id', '=', id).execute()
    await database.deleteFrom('scrape_jobs').where('id', '=', id).execute()
  }
  const { ended } = await database
    .selectFrom('watch_runs')
    .select((eb) => eb.fn.countAll<number>().as('ended'))
    .executeTakeFirstOrThrow()
  for (let day = Number(ended); day < days; day++) {
    const now = new Date(start + day * 86_400_000)
    await report(now)
    // Each day one request is new, and each known one has one vote more.
    const requests = Array.from({ length: day + 1 }, (_, id) => foundRequest(`${id}`, { votes: day - id }))
    await endedRun(database, watch, { requests, now })
    await report(now)
  }
  await report(new Date(start + days * 86_400_000))
  await close()
  process.disconnect()
}

process.once('message', (order: Order) => void run(order))
