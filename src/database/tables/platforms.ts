import type { ColumnType } from 'kysely'
import type { Fixed, PlatformErrorCode, PlatformName } from '../column-types.ts'

export interface PlatformsTables {
  /** The used part of quotas that outlive a restart. */
  platform_quotas: {
    platform: Fixed<PlatformName>
    name: Fixed<string>
    used: number
    resets_at: Date
  }
  /** The state of each host that a platform's adapter calls. */
  platform_hosts: {
    platform: Fixed<PlatformName>
    name: Fixed<string>
    failures: number
    paused_until: Date | null
    cooldown_until: Date | null
    last_success_at: Date | null
    last_error_code: PlatformErrorCode | null
    last_error_message: string | null
    last_error_at: Date | null
    remaining: number
    remaining_limit: number
    remaining_resets_at: Date
  }
  /** How many pages of a topic a platform has delivered to all jobs. */
  platform_topics: {
    platform: Fixed<PlatformName>
    topic_key: Fixed<string>
    pages: number
    collected_at: Date
  }
  /** Values that an adapter would need further calls to look up again. */
  adapter_cache: {
    platform: Fixed<PlatformName>
    key: Fixed<string>
    value: ColumnType<unknown, string, string>
    expires_at: Date
  }
}
