import { fork } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { expect, it, onTestFinished } from 'vitest'
import { createAccountWithKey } from '../../src/accounts/accounts.ts'
import { openDatabase } from '../../src/database/open.ts'
import { parseMailAddress } from '../../src/notifications/mail/address.ts'
import { addMailChannel } from '../../src/notifications/mail/consents.ts'
import { mailConfigFor, startMailServer } from '../../src/notifications/mail/testing.ts'
import { dayMs } from '../../src/runtime/durations.ts'
import { campaignSize } from '../campaign-size.ts'
import { childEnvironment } from '../child-environment.ts'
import { copyDatabase } from '../database.ts'
import type { ConfirmationOrder } from './dying-confirmation.ts'

// Holds (Watches, news and channels): an unconfirmed mail address gets only one confirmation a day

const program = fileURLToPath(new URL('dying-confirmation.ts', import.meta.url))
const rounds = campaignSize('MAIL_KILLS', { quick: 2, nightly: 15 })
/** More than a sending has: the last rounds end by themselves. */
const points: ConfirmationOrder['dieAfter'][] = ['accepted', 3, 6, 9, 1, 2, 4, 5, 7, 8, 10, 11, 12, 13, 14]

it('kill -9 at any statement of a confirmation: one a day at most, and none lost for ever', {
  timeout: 120_000 + rounds * 60_000,
}, async () => {
  const copy = await copyDatabase()
  const server = await startMailServer({ offersStartTls: false })
  onTestFinished(async () => {
    await server.close()
    await copy.remove()
  })
  const onCrash = (error: Error) => {
    throw error
  }
  const start = new Date('2026-03-02T08:00:00Z')
  for (let round = 0; round < rounds; round++) {
    const dieAfter = points[round % points.length] ?? 1
    const address = `reader${round}@example.org`
    const to = parseMailAddress(address) ?? expect.fail('no address')
    const channelId = randomUUID()
    const opened = await openDatabase({ ...copy.options, onCrash })
    const now = new Date(start.getTime() + round * 10 * dayMs)
    await opened.database.transaction().execute(async (transaction) => {
      const { accountId } = await createAccountWithKey(transaction, { name: 'a', tier: 'free', now })
      await addMailChannel(transaction, { channelId, accountId }, to, now)
    })
    await opened.close()
    const sent = () => server.mails.filter((mail) => mail.to[0] === address).length
    const run = async (at: Date, end: ConfirmationOrder['dieAfter']) => {
      const execArgv = ['--disable-warning=ExperimentalWarning']
      const child = fork(program, { env: childEnvironment, execArgv, stdio: ['ignore', 'ignore', 'inherit', 'ipc'] })
      const ended = once(child, 'exit')
      const config = mailConfigFor(server)
      child.send({ ...copy.options, dieAfter: end, now: at.toISOString(), channelId, address, config })
      return (await ended)[1] as string | null
    }
    const signal = await run(now, dieAfter)
    if (dieAfter === 'accepted') expect(signal).toBe('SIGKILL')
    // The next start, on the same day.
    await run(new Date(now.getTime() + dayMs / 2), 1_000)
    expect(sent(), `${dieAfter}: more than one in a day`).toBeLessThanOrEqual(1)
    await run(new Date(now.getTime() + dayMs), 1_000)
    expect(sent(), `${dieAfter}: lost`).toBeGreaterThanOrEqual(1)
    expect(sent(), `${dieAfter}: too many`).toBeLessThanOrEqual(2)
    await run(new Date(now.getTime() + 5 * dayMs), 1_000)
    expect(sent(), `${dieAfter}: sent again without need`).toBeLessThanOrEqual(2)
  }
})
