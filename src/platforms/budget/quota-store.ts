import { sql } from 'kysely'
import type { Database } from '../../database/open.ts'
import type { Quota, QuotaStore } from './quota.ts'

/** Quotas in the database: one conditional statement counts a request, so that no two processes give away the same one. */
export function createQuotaStore(database: Database): QuotaStore {
  const isOver = (now: Date) => sql<boolean>`platform_quotas.resets_at <= ${now}`

  const read: QuotaStore['read'] = async ({ platform, name }, now) => {
    const row = await database
      .selectFrom('platform_quotas')
      .select(['used', 'resets_at as resetsAt'])
      .where('platform', '=', platform)
      .where('name', '=', name)
      .where('resets_at', '>', now)
      .executeTakeFirst()
    return row ?? null
  }

  return {
    read,

    async take(quota: Quota, now: Date) {
      const { platform, name, limit } = quota
      const { numInsertedOrUpdatedRows } = await database
        .insertInto('platform_quotas')
        .values({ platform, name, used: 1, resets_at: quota.periodEnd(now) })
        .onConflict((conflict) =>
          conflict
            .columns(['platform', 'name'])
            .doUpdateSet({
              used: sql<number>`case when ${isOver(now)} then 1 else platform_quotas.used + 1 end`,
              resets_at: sql<Date>`case when ${isOver(now)} then excluded.resets_at else platform_quotas.resets_at end`,
            })
            .where((eb) => eb.or([isOver(now), eb('platform_quotas.used', '<', limit)])),
        )
        .executeTakeFirst()
      if (numInsertedOrUpdatedRows !== 0n) return null
      return (await read(quota, now))?.resetsAt ?? quota.periodEnd(now)
    },

    async correct({ platform, name, limit }, remaining, resetsAt, now) {
      await database
        .updateTable('platform_quotas')
        .set((eb) => ({
          used: eb.fn<number>('greatest', ['used', eb.val(Math.max(0, limit - remaining))]),
          ...(remaining <= 0 ? { resets_at: eb.fn<Date>('least', ['resets_at', eb.val(resetsAt)]) } : {}),
        }))
        .where('platform', '=', platform)
        .where('name', '=', name)
        .where('resets_at', '>', now)
        // What does not change is not rewritten: the row would be, at every answer.
        .where((eb) => eb.or([eb('used', '<', limit - remaining), eb.val(remaining <= 0)]))
        .execute()
    },
  }
}
