import { sql } from 'kysely'
import { noteEvent } from '../../src/accounts/events/events.ts'
import type { OpenDatabase } from '../../src/database/open.ts'
import { createOutbound } from '../../src/http/outbound/outbound.ts'
import { createSecrets } from '../../src/http/secrets/secrets.ts'
import { createAdapters } from '../../src/notifications/channels/adapters/adapters.ts'
import { startDelivering } from '../../src/notifications/channels/delivery/delivering.ts'
import { createRenderer } from '../../src/notifications/channels/messages/render.ts'
import { systemClock } from '../../src/runtime/clock.ts'

export interface Deliveries {
  accountId: string
  secretsKey: string
  /** How many events it notes. */
  events: number
}

/**
 * Notes events and tells them on all channels, as a process that is started again.
 * @param onStart called before the first statement that a service sends, too.
 * @returns whether nothing waits any more.
 */
export async function deliverAll(
  { database, listen }: Pick<OpenDatabase, 'database' | 'listen'>,
  { accountId, secretsKey, events }: Deliveries,
  onStart: () => void = () => {},
): Promise<boolean> {
  // The claims of dead processes and the waits after failures are over.
  await sql`update channel_deliveries set due_at = now() - interval '1 second' where due_at is not null`.execute(
    database,
  )
  await sql`
    update channels set rests_until = null, claimed_until = case when claimed_until is not null then now() - interval '1 second' end,
      due_at = case when due_at is not null then now() - interval '1 second' end`.execute(database)
  onStart()
  const clock = systemClock
  const outbound = createOutbound({ allowPrivateTargets: true, userAgent: 'test', clock })
  const delivering = await startDelivering({
    database,
    listen,
    clock,
    log: { error: (fields: unknown) => console.error(fields), warn: () => {} },
    adapters: createAdapters({ outbound, operatorOutbound: outbound, apprise: null }),
    secrets: createSecrets([Buffer.from(secretsKey, 'base64')]),
    render: createRenderer({ readReport: async () => null, comparesGoals: false }),
    publicUrl: () => 'https://wishwell.example',
    readersOf: async () => [],
    recordVisit: async () => {},
    isAutomatic: false,
  })
  for (let percent = 0; percent < events; percent++) {
    const subject = { percent, month: '2026-11', settled: 80, limit: 100, held: 5, paygBalance: 0 }
    await noteEvent(database, { accountId, type: 'credits.low', subject, now: clock.now() })
    // Some are told alone, some together.
    if (percent % 3 === 2) await delivering.run()
  }
  await delivering.run()
  await delivering.stop()
  await outbound.close()
  const { rows } = await sql`
    select from channel_deliveries where state = 'pending' union all select from events where fanned_out_at is null`.execute(
    database,
  )
  return rows.length === 0
}
