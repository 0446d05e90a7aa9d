import { sql } from 'kysely'
import type { PlatformName } from '../../database/column-types.ts'
import type { Database } from '../../database/open.ts'
import type { Json } from '../platform.ts'

/** Caches results that are expensive to fetch, in the database, across tasks and restarts. */
export interface AdapterCache {
  /** Null if the key is not cached or has expired. */
  read(platform: PlatformName, key: string, now: Date): Promise<Json>
  store(platform: PlatformName, key: string, value: Json, expiresAt: Date): Promise<void>
}

export function createAdapterCache(database: Database): AdapterCache {
  return {
    async read(platform, key, now) {
      const row = await database
        .selectFrom('adapter_cache')
        .select('value')
        .where('platform', '=', platform)
        .where('key', '=', key)
        .where('expires_at', '>', now)
        .executeTakeFirst()
      return (row?.value ?? null) as Json
    },
    async store(platform, key, value, expiresAt) {
      await database
        .insertInto('adapter_cache')
        .values({ platform, key, value: JSON.stringify(value), expires_at: expiresAt })
        .onConflict((conflict) =>
          conflict
            .columns(['platform', 'key'])
            .doUpdateSet((eb) => ({ value: eb.ref('excluded.value'), expires_at: eb.ref('excluded.expires_at') })),
        )
        .execute()
    },
  }
}

/** Maximum rows per statement: in the embedded database every other statement waits for it. */
const sliceRows = 500

/** Deletes one batch of expired rows. @returns whether more may remain */
export async function purgeExpiredCacheEntries(database: Database, now: Date): Promise<boolean> {
  const { rows } = await sql`
    delete from adapter_cache where (platform, key) in (
      select platform, key from adapter_cache where expires_at <= ${now}::timestamptz
      order by expires_at limit ${sliceRows} for update skip locked
    ) returning key`.execute(database)
  return rows.length === sliceRows
}
