import { sql } from 'kysely'
import { pino } from 'pino'
import { readConfig } from '../../src/app/config.ts'
import { startService } from '../../src/app/service.ts'
import { watched } from '../watched-database.ts'
import { countUnended, jobPlatforms } from './job-platforms.ts'

// A service that kills itself after a given number of statements, counted from a message of the test. Started by
// jobs.service.test.ts, which sends the number over the channel; 0 means never.

let statementsLeft = Number.POSITIVE_INFINITY
let counted = 0

const onStatement = (statement: string) => {
  if (statement === countUnended) return
  counted += 1
  statementsLeft -= 1
  if (statementsLeft <= 0) process.kill(process.pid, 'SIGKILL')
}

const service = await startService(
  readConfig(),
  pino({ level: 'silent' }),
  (error) => {
    throw error
  },
  { platforms: { adapters: jobPlatforms }, open: watched(onStatement) },
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
