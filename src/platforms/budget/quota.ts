import { sql } from 'kysely'
import type { PlatformName } from '../../database/column-types.ts'
import type { Database } from '../../database/open.ts'
import { clockToleranceMs } from '../../runtime/stored-instants.ts'

/** Stores quotas; one conditional statement per request keeps two processes from taking the same last one. */
export function createQuotaStore(database: Database): QuotaStore {
  return {
    take: async (quota, now) =>
      (await countRequest(database, quota, now))
        ? null
        : ((await read(database, quota, now))?.resetsAt ?? quota.periodEnd(now)),
    correct: (quota, remaining, resetsAt, now) => correct(database, quota, { remaining, resetsAt }, now),
    read: (quota, now) => read(database, quota, now),
  }
}

/** A later end was set by a clock that was ahead. */
const latestEnd = (quota: Quota, now: Date) => new Date(quota.periodEnd(now).getTime() + clockToleranceMs)

async function read(database: Database, quota: Quota, now: Date): Promise<QuotaState | null> {
  const row = await database
    .selectFrom('platform_quotas')
    .select(['used', 'resets_at as resetsAt'])
    .where('platform', '=', quota.platform)
    .where('name', '=', quota.name)
    .where('resets_at', '>', now)
    .where('resets_at', '<=', latestEnd(quota, now))
    .executeTakeFirst()
  return row ?? null
}

/** Counts one request, in a new period if the stored one is over. @returns false if the quota is used up */
async function countRequest(database: Database, quota: Quota, now: Date): Promise<boolean> {
  const { platform, name, limit } = quota
  const isOver = sql<boolean>`(platform_quotas.resets_at <= ${now} or platform_quotas.resets_at > ${latestEnd(quota, now)})`
  const { numInsertedOrUpdatedRows } = await database
    .insertInto('platform_quotas')
    .values({ platform, name, used: 1, resets_at: quota.periodEnd(now) })
    .onConflict((conflict) =>
      conflict
        .columns(['platform', 'name'])
        .doUpdateSet({
          used: sql<number>`case when ${isOver} then 1 else platform_quotas.used + 1 end`,
          resets_at: sql<Date>`case when ${isOver} then excluded.resets_at else platform_quotas.resets_at end`,
        })
        .where((eb) => eb.or([isOver, eb('platform_quotas.used', '<', limit)])),
    )
    .executeTakeFirst()
  return numInsertedOrUpdatedRows !== 0n
}

async function correct(
  database: Database,
  { platform, name, limit }: Quota,
  { remaining, resetsAt }: { remaining: number; resetsAt: Date },
  now: Date,
): Promise<void> {
  await database
    .updateTable('platform_quotas')
    .set((eb) => ({
      used: eb.fn<number>('greatest', ['used', eb.val(Math.max(0, limit - remaining))]),
      ...(remaining <= 0 ? { resets_at: eb.fn<Date>('least', ['resets_at', eb.val(resetsAt)]) } : {}),
    }))
    .where('platform', '=', platform)
    .where('name', '=', name)
    .where('resets_at', '>', now)
    // Keeps every answer from rewriting the row.
    .where((eb) => eb.or([eb('used', '<', limit - remaining), eb.val(remaining <= 0)]))
    .execute()
}

/** A number of requests per long period, such as a day; its use survives a restart. */
export interface Quota {
  platform: PlatformName
  /** Unique within the platform. */
  name: string
  limit: number
  /** The end of a period that starts now. */
  periodEnd: (now: Date) => Date
}

export interface QuotaState {
  used: number
  resetsAt: Date
}

/** Counts quotas, for all processes that share the database. */
export interface QuotaStore {
  /** Counts one request atomically. @returns null if it may be sent, else the start of the next period */
  take(quota: Quota, now: Date): Promise<Date | null>
  /** Applies what the platform says is left, which includes other users of the address or key. */
  correct(quota: Quota, remaining: number, resetsAt: Date, now: Date): Promise<void>
  /** Null if nothing of the current period was used. */
  read(quota: Quota, now: Date): Promise<QuotaState | null>
}

/** For tests and tools without a database. */
export function createMemoryQuotas(): QuotaStore {
  const states = new Map<string, QuotaState>()
  const keyOf = ({ platform, name }: Quota) => `${platform} ${name}`
  const known = (quota: Quota, now: Date): QuotaState | undefined => {
    const state = states.get(keyOf(quota))
    return state && state.resetsAt > now && state.resetsAt <= latestEnd(quota, now) ? state : undefined
  }
  const current = (quota: Quota, now: Date): QuotaState => {
    const state = known(quota, now)
    if (state) return state
    const fresh = { used: 0, resetsAt: quota.periodEnd(now) }
    states.set(keyOf(quota), fresh)
    return fresh
  }
  return {
    async take(quota, now) {
      const state = current(quota, now)
      if (state.used >= quota.limit) return state.resetsAt
      state.used += 1
      return null
    },
    async correct(quota, remaining, resetsAt, now) {
      const state = current(quota, now)
      state.used = Math.max(state.used, quota.limit - remaining)
      if (remaining <= 0 && resetsAt < state.resetsAt) state.resetsAt = resetsAt
    },
    async read(quota, now) {
      const state = known(quota, now)
      return state ? { ...state } : null
    },
  }
}
