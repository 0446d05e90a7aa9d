import { sql } from 'kysely'
import type { Period } from '../accounts/period.ts'
import type { PlatformName, SpendingOperation } from '../database/column-types.ts'
import type { Executor } from '../database/open.ts'
import { cursorsOf, isPositionId, isPositionNumber, type PageInput, pageIn } from '../http/pagination.ts'
import type { JobCost, Spent } from './spending.ts'

/** What credits were reserved for: a job, an expanded search, or a list with `source=realtime`. */
export interface Collection extends Spent {
  /** Job or call id: the `cause` of its entries. */
  collectionId: string
  operation: SpendingOperation
  /** A job's or list's topic, or a search's query. */
  topic: string | null
  platforms: PlatformName[]
  startedBy: Starter
  /** ISO 8601: reservation time, which decides its period. */
  startedAt: string
  endedAt: string | null
  /** Initially held: always `held` + `settled` + `released`. */
  reserved: number
  released: number
}

/** Who started it. A person or watch also has the paying key, if any; `personName` is null for an unnamed sign-in. */
export type Starter = JobCost['startedBy'] & { by: 'key' | 'person' | 'watch' }

/** A page continues after a start, in milliseconds since 1970, and its reservation's id. */
const cursors = cursorsOf<[startedAt: number, reservationId: string]>(
  'collections',
  (value): value is number => isPositionNumber(value) && value >= 0,
  isPositionId,
)

const readRows = (executor: Executor, accountId: string) =>
  executor
    .selectFrom('credit_reservations as reserved')
    .leftJoin('scrape_jobs as job', 'job.id', 'reserved.job_id')
    .leftJoin('api_keys as key', 'key.id', 'reserved.key_id')
    .leftJoin('watches as watch', 'watch.id', 'reserved.watch_id')
    .selectAll('reserved')
    .select(['job.topic as job_topic', 'key.name as key_name', 'watch.name as watch_name'])
    .select((eb) =>
      eb
        .selectFrom('scrape_tasks as task')
        .select(({ fn }) => fn.agg<PlatformName[]>('array_agg', ['task.platform']).orderBy('task.position').as('named'))
        .whereRef('task.job_id', '=', 'reserved.job_id')
        .as('job_platforms'),
    )
    .where('reserved.account_id', '=', accountId)

type Row = Awaited<ReturnType<ReturnType<typeof readRows>['execute']>>[number]

function describeCollection(row: Row): Collection {
  const reserved = row.pool_part + row.payg_part
  const isOpen = row.state === 'open'
  const { key_id: keyId, key_name: keyName, watch_id: watchId, watch_name: watchName } = row
  const { person_name: personName } = row
  return {
    collectionId: (row.job_id ?? row.call_id)!,
    operation: row.operation,
    topic: row.job_topic ?? row.topic,
    platforms: row.job_platforms ?? row.platforms ?? [],
    startedBy: { by: starterOf(row), keyId, keyName, personName, watchId, watchName },
    startedAt: row.created_at.toISOString(),
    endedAt: row.closed_at?.toISOString() ?? null,
    reserved,
    held: isOpen ? reserved : 0,
    settled: row.settled,
    released: isOpen ? 0 : reserved - row.settled,
  }
}

function starterOf({ key_id: keyId, watch_id: watchId, person_name: personName }: Row): Starter['by'] {
  if (watchId !== null) return 'watch'
  return keyId === null || personName !== null ? 'person' : 'key'
}

/** Latest first; adds up to `readSpending`. @throws ServiceError INVALID_REQUEST for another list's cursor */
export async function readCollections(
  executor: Executor,
  { accountId, from, until, limit, cursor }: Partial<Period> & PageInput & { accountId: string },
) {
  let query = readRows(executor, accountId)
  if (from !== undefined) query = query.where('reserved.created_at', '>=', from)
  if (until !== undefined) query = query.where('reserved.created_at', '<', until)
  if (cursor !== undefined) {
    const [startedAt, id] = cursors.decode(cursor)
    const position = sql<boolean>`(timestamptz 'epoch' + ${startedAt}::bigint * interval '1 millisecond', ${id}::uuid)`
    query = query.where(sql<boolean>`(reserved.created_at, reserved.id) < ${position}`)
  }
  const rows = await query
    .orderBy('reserved.created_at', 'desc')
    .orderBy('reserved.id', 'desc')
    .limit(limit + 1)
    .execute()
  const { page, ...rest } = pageIn(rows, limit, ({ created_at, id }) => cursors.encode([created_at.getTime(), id]))
  return { results: page.map(describeCollection), ...rest }
}
