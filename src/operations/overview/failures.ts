import { sql } from 'kysely'
import type { Executor } from '../../database/open.ts'
import { type PlatformStatus, readPlatformStatus, type StatusOptions } from '../../platforms/status.ts'
import { maxAccounts, type Overview } from './schemas.ts'

/** Enabled platforms that fail, or wait beyond their next window. */
export async function readFailingPlatforms(options: StatusOptions): Promise<Overview['platforms']> {
  const isFailing = ({ state, advice }: PlatformStatus) =>
    state !== 'off' && (advice !== null || !['ready', 'waiting'].includes(state))
  return (await readPlatformStatus(options)).filter(isFailing).map(({ hosts, ...status }) => {
    const { platform, state, resumesAt, lastSuccessAt, advice } = status
    const errors = hosts.flatMap(({ host, lastError }) => (lastError === null ? [] : [{ host, ...lastError }]))
    const newest = errors.toSorted((one, other) => (one.at > other.at ? -1 : 1))[0] ?? null
    return { platform, state, resumesAt, lastSuccessAt, lastError: newest, advice }
  })
}

interface FailingChannel {
  accountId: string
  name: string
  channelId: string
  type: string
  failingSince: Date | null
  disabledReason: string | null
  error: string | null
  failedAt: Date | null
}

/** Failing and disabled channels: counts, and per account the one that failed last. Accounts have few channels. */
export async function readFailingChannels(executor: Executor): Promise<Overview['channels']> {
  const { rows } = await sql<FailingChannel>`
    select account_id as "accountId", accounts.name, channels.id as "channelId", type, failing_since as "failingSince",
      disabled_reason as "disabledReason", failed.last_error as error, failed.last_attempt_at as "failedAt"
    from channels join accounts on accounts.id = account_id
      left join lateral (
        select last_error, last_attempt_at from channel_deliveries
        where channel_id = channels.id and last_error is not null and last_attempt_at is not null
        order by channel_deliveries.created_at desc limit 1
      ) as failed on true
    where state = 'disabled' or failing_since is not null
    order by coalesce(failed.last_attempt_at, failing_since, channels.created_at) desc, channels.id`.execute(executor)
  const byAccount = [...Map.groupBy(rows, ({ accountId }) => accountId)].slice(0, maxAccounts)
  return {
    ...countsOf(rows),
    accounts: byAccount.map(([accountId, own]) => ({
      accountId,
      name: own[0]!.name,
      ...countsOf(own),
      newest: describe(own[0]!),
    })),
  }
}

const countsOf = (channels: readonly FailingChannel[]) => ({
  failing: channels.filter(({ disabledReason }) => disabledReason === null).length,
  disabled: channels.filter(({ disabledReason }) => disabledReason !== null).length,
})

const describe = ({ channelId, type, failingSince, disabledReason, error, failedAt }: FailingChannel) => ({
  ...{ channelId, type, disabledReason, error },
  failingSince: failingSince?.toISOString() ?? null,
  failedAt: failedAt?.toISOString() ?? null,
})
