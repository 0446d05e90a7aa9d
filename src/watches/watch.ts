import { type Selectable, sql } from 'kysely'
import type { Executor } from '../database/open.ts'
import type { Tables } from '../database/tables.ts'
import { recordIfWritable } from '../database/writes.ts'
import type { Clock } from '../runtime/clock.ts'
import type { Schedule } from './schedule.ts'

export type Watch = Selectable<Tables['watches']>

export const scheduleOf = ({
  schedule,
  timezone,
  account_id: accountId,
  topic,
}: Pick<Watch, 'schedule' | 'timezone' | 'account_id' | 'topic'>): Schedule => ({
  schedule,
  timezone,
  accountId,
  topic,
})

/** How long a watch runs without anyone looking at its results. */
export const unseenMs = 90 * 24 * 3600_000

/** Visits this soon after the last are not recorded: pages and feed readers look often. */
const notedEveryMs = 24 * 3600_000

/** Records a visit, confirmed delivery or feed read of watches, once a day. Does not resume a watch that asks. */
export async function recordVisit(executor: Executor, watchIds: readonly string[], now: Date): Promise<void> {
  if (watchIds.length === 0) return
  // Ordered by id, so that concurrent visits lock in the same order.
  await sql`
    update watches set last_looked_at = ${now} where id = any(array(
      select id from watches where id = any(${[...watchIds]}::uuid[]) and last_looked_at < ${new Date(now.getTime() - notedEveryMs)}
      order by id for no key update))`.execute(executor)
}

/** Visits recorded beside reads, which neither wait for them nor fail with them. */
export interface Visits {
  record(watchIds: readonly string[]): void
  /** Resolves when all are recorded. */
  settled(): Promise<void>
}

interface VisitsDependencies {
  database: Executor
  clock: Clock
  log: { warn(fields: object, message: string): void }
}

export function createVisits({ database, clock, log }: VisitsDependencies): Visits {
  const pending = new Set<Promise<void>>()
  return {
    record: (watchIds) => {
      const noted = recordIfWritable(recordVisit(database, watchIds, clock.now()))
        .catch((error: unknown) => log.warn({ err: error }, 'a visit of a watch was not noted'))
        .then(() => void pending.delete(noted))
      pending.add(noted)
    },
    settled: async () => void (await Promise.all(pending)),
  }
}
