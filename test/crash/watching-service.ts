import { pino } from 'pino'
import { readConfig } from '../../src/config.ts'
import { startService } from '../../src/service.ts'
import { movedClock, openJobs } from '../../src/watches/testing.ts'
import { platformMap, scriptedPlatform } from '../scripted-platform.ts'
import { emptyPages } from '../watched-month/month.ts'

// A service whose clock the test moves, and that kills itself after a given number of statements. Started by watches.service.test.ts.

let statementsLeft = Number.POSITIVE_INFINITY

/** The statement of `openJobs`, which is not counted: how often the test asks depends on the machine. */
const ofTest = /^select count\(\*\) as "open" from "scrape_jobs"/

const onStatement = (statement: string) => {
  if (ofTest.test(statement)) return
  statementsLeft -= 1
  if (statementsLeft <= 0) process.kill(process.pid, 'SIGKILL')
}

const clock = movedClock(process.env.FAKE_NOW ?? '')
const service = await startService(
  readConfig(),
  pino({ level: 'error' }),
  (error) => {
    throw error
  },
  {
    clock,
    onStatement,
    placesRequests: false,
    platforms: platformMap(scriptedPlatform('github', emptyPages), scriptedPlatform('hackernews', emptyPages)),
  },
)
const { database } = service.database

/** Lets the clock come to a moment, and everything that is due end. */
async function comeTo(moment: string, dieAfter: number): Promise<void> {
  clock.set(moment)
  statementsLeft = dieAfter > 0 ? dieAfter : Number.POSITIVE_INFINITY
  await service.runDueWatches()
  while ((await openJobs(database)) > 0) await new Promise((resolve) => setTimeout(resolve, 5))
  process.send?.({ at: moment })
}

process.on('message', (message: { at: string; dieAfter: number } | 'stop') => {
  if (message === 'stop') void service.stop().then(() => process.exit(0))
  else void comeTo(message.at, message.dieAfter)
})
// A test that was ended itself leaves no service behind.
process.on('disconnect', () => process.exit(1))
process.send?.({ url: service.address })
