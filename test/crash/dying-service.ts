import { sql } from 'kysely'
import { pino } from 'pino'
import { readConfig } from '../../src/config.ts'
import type { Page } from '../../src/platforms/platform.ts'
import { startService } from '../../src/service.ts'
import { numberedPages, platformMap, type Script, scriptedPlatform } from '../scripted-platform.ts'

// A service that kills itself after a given number of statements, counted from a message of the test. Started by
// jobs.service.test.ts, which sends the number over the channel; 0 means never.

let statementsLeft = Number.POSITIVE_INFINITY
let counted = 0

/** Statements of the test itself, which are not counted. */
const countUnended = 'select count(*)::integer as tasks from scrape_tasks where completed_at is null'

const onStatement = (statement: string) => {
  if (statement === countUnended) return
  counted += 1
  statementsLeft -= 1
  if (statementsLeft <= 0) process.kill(process.pid, 'SIGKILL')
}

/** Every topic has requests of its own: storing known requests takes fewer statements. */
const pagesOfTopic =
  (pages: number): Script =>
  (call, request) => {
    const page = numberedPages(pages, 2)(call, request) as Page
    const ofTopic = (text: string) => `${request.topic} ${text}`
    return {
      ...page,
      requests: page.requests.map((found) => ({
        ...found,
        sourceId: ofTopic(found.sourceId),
        title: ofTopic(found.title),
      })),
    }
  }
const platforms = platformMap(
  scriptedPlatform('github', pagesOfTopic(3)),
  scriptedPlatform('hackernews', pagesOfTopic(1)),
)
const service = await startService(
  readConfig(),
  pino({ level: 'silent' }),
  (error) => {
    throw error
  },
  { platforms, onStatement },
)

async function report(): Promise<void> {
  const { rows } = await sql.raw<{ tasks: number }>(countUnended).execute(service.database.database)
  process.send?.({ counted, unended: rows[0]?.tasks })
}
process.on('message', (message: { dieAfter: number } | 'report' | 'stop') => {
  if (message === 'report') void report()
  else if (message === 'stop') void service.stop().then(() => process.exit(0))
  else {
    counted = 0
    if (message.dieAfter > 0) statementsLeft = message.dieAfter
    process.send?.({ armed: true })
  }
})
// A test that was ended itself leaves no service behind.
process.on('disconnect', () => process.exit(1))
process.send?.({ url: service.address })
