import { readConfig } from '../../src/app/config.ts'
import { startWatching } from './watching.ts'

// A service whose clock the test moves, and that kills itself after a given number of statements. Started by watches.service.test.ts.

let statementsLeft = Number.POSITIVE_INFINITY

/** The statement of `openJobs`, which is not counted: how often the test asks depends on the machine. */
const ofTest = /^select count\(\*\) as "open" from "scrape_jobs"/

const onStatement = (statement: string) => {
  if (ofTest.test(statement)) return
  statementsLeft -= 1
  if (statementsLeft <= 0) process.kill(process.pid, 'SIGKILL')
}

const { service, comeTo } = await startWatching(readConfig(), process.env.FAKE_NOW ?? '', onStatement)

process.on('message', (message: { at: string; dieAfter: number }) => {
  statementsLeft = message.dieAfter > 0 ? message.dieAfter : Number.POSITIVE_INFINITY
  void comeTo(message.at).then(() => process.send?.({ at: message.at }))
})
// A test that was ended itself leaves no service behind.
process.on('disconnect', () => process.exit(1))
process.send?.({ url: service.address })
