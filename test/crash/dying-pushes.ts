import { sql } from 'kysely'
import { openDatabase } from '../../src/database/open.ts'
import { createOutbound } from '../../src/http/outbound/outbound.ts'
import { createSecrets } from '../../src/http/secrets/secrets.ts'
import { createTrackers } from '../../src/notifications/trackers/adapters/adapters.ts'
import { startSending } from '../../src/notifications/trackers/sending/sending.ts'
import { pushWish, undoPush } from '../../src/notifications/trackers/store/pushes.ts'

// Pushes wishes, takes some back, sends all that is due, and kills itself after so many statements. Started by pushes.nightly.test.ts.

export interface PushesOrder {
  databaseUrl: string | undefined
  dataDir: string
  accountId: string
  trackerIds: string[]
  secretsKey: string
  /** The wishes to push to each tracker, and those whose pushes are taken back. */
  push: string[]
  undo: string[]
  /** How far the clock of this life is ahead: later than every claim and wait of the lives before. */
  aheadMs: number
  /** Null: lives to the end, or until it is killed. */
  dieAfter: number | null
}

async function run({ dieAfter, databaseUrl, dataDir, accountId, trackerIds, secretsKey, ...order }: PushesOrder) {
  let left = Number.POSITIVE_INFINITY
  const { database, listen, close } = await openDatabase({
    ...{ databaseUrl, dataDir },
    onCrash: (error) => {
      throw error
    },
    onStatement: () => {
      if (--left <= 0) process.kill(process.pid, 'SIGKILL')
    },
  })
  await sql`update trackers set claimed_until = now() - interval '1 second' where claimed_until is not null`.execute(
    database,
  )
  left = dieAfter ?? Number.POSITIVE_INFINITY
  const clock = { now: () => new Date(Date.now() + order.aheadMs) }
  const account = { accountId, hasOwnView: false }
  for (const trackerId of trackerIds) {
    for (const wishId of order.push) {
      const made = { wishId, trackerId, madeBy: 'admin', now: clock.now() }
      await database.transaction().execute((transaction) => pushWish(transaction, account, made))
    }
  }
  const outbound = createOutbound({ allowPrivateTargets: true, userAgent: 'test', clock })
  const sending = await startSending({
    ...{ database, listen, clock, isAutomatic: false, publicUrl: () => null },
    adapters: createTrackers(outbound, clock),
    secrets: createSecrets([Buffer.from(secretsKey, 'base64')]),
    log: { error: (fields: unknown) => console.error(fields) },
  })
  const sent = sending.run()
  // While they are being sent.
  const { rows } = await sql<{ id: string }>`
    select id from pushes where wish_id = any(${order.undo}::uuid[])`.execute(database)
  for (const { id } of rows) {
    const undone = { accountId, pushId: id, now: clock.now() }
    await database.transaction().execute((transaction) => undoPush(transaction, undone))
  }
  await sent
  await sending.run()
  await sending.stop()
  await outbound.close()
  await close()
  process.disconnect()
}

process.once('message', (order: PushesOrder) => void run(order))
