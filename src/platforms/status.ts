import type { PlatformErrorCode, PlatformName } from '../database/column-types.ts'
import type { Database } from '../database/open.ts'
import type { Budget } from './budget/budget.ts'
import { definitionOf, platformNames } from './registry.ts'
import type { PlatformsConfig } from './settings.ts'
import { howToTurnOn } from './settings.ts'

export const platformStates = [
  'ready',
  'waiting',
  'unreachable',
  'paused',
  'quota_exhausted',
  'not_configured',
  'off',
] as const
export type PlatformState = (typeof platformStates)[number]

export interface HostStatus {
  host: string
  state: 'ready' | 'waiting' | 'unreachable' | 'paused' | 'quota_exhausted'
  /** When it is queried again; null for now. */
  resumesAt: string | null
  /** Requests in the current window. */
  budget: { remaining: number; limit: number }
  /** Requests of the day; null if the platform has no such quota. */
  quota: { remaining: number; limit: number; resetsAt: string } | null
  /** Failures in a row. */
  failures: number
  lastSuccessAt: string | null
  lastError: { code: PlatformErrorCode; message: string; at: string } | null
}

/** What a platform gave to collections. */
export interface PlatformYield {
  /** Whether only topics count that have a word in common with the one that was asked for. */
  isOfAlikeTopics: boolean
  topics: number
  pages: number
  found: number
  /** New and likely feature requests. */
  likely: number
  /** Null where there was none. */
  creditsPerWish: number | null
}

/** By platform. @param accountId null for all accounts. @param topic undefined: all topics */
export type ReadYields = (
  accountId: string | null,
  topic: string | undefined,
) => Promise<ReadonlyMap<PlatformName, PlatformYield>>

export interface PlatformStatus {
  platform: PlatformName
  state: PlatformState
  /** Whether a call that names no platforms uses it. */
  isDefault: boolean
  /** What `votes` of its requests count. */
  votes: string
  /** Its required variables that are not set. */
  missing: string[]
  resumesAt: string | null
  lastSuccessAt: string | null
  /** What the operator should do; null when there is nothing to do. */
  advice: string | null
  /** How a job names sources of the platform; null where it cannot. */
  sources: { form: string; example: string } | null
  hosts: HostStatus[]
}

export interface StatusOptions {
  database: Database
  config: PlatformsConfig
  hosts: ReadonlyMap<PlatformName, readonly Budget[]>
  now: Date
}

/** The state of every platform: on or off, usable or not, and until when. Read from the database, so that every process gives the same. */
export async function readPlatformStatus({ database, config, hosts, now }: StatusOptions): Promise<PlatformStatus[]> {
  const rows = await readHosts(database)
  const statuses: PlatformStatus[] = []
  for (const platform of platformNames) {
    const hostStatuses: HostStatus[] = []
    const budgets = hosts.get(platform) ?? []
    for (const budget of budgets) {
      const row = rows.find((candidate) => candidate.platform === platform && candidate.name === budget.name)
      hostStatuses.push(await hostStatus(budget, row, now))
    }
    const needed = hostStatuses.filter((_, index) => !budgets[index]!.isOptional)
    const used = hostStatuses.filter((host) => needed.includes(host) || host.lastSuccessAt || host.lastError)
    statuses.push(platformStatus(platform, config, used, needed))
  }
  return statuses
}

const readHosts = (database: Database) => database.selectFrom('platform_hosts').selectAll().execute()
type HostRow = Awaited<ReturnType<typeof readHosts>>[number]

const iso = (moment: Date | null | undefined): string | null => moment?.toISOString() ?? null
const later = (moment: Date | null | undefined, now: Date): Date | null => (moment && moment > now ? moment : null)

async function hostStatus(budget: Budget, row: HostRow | undefined, now: Date): Promise<HostStatus> {
  const { room } = budget.state(now)
  const isCurrent = row !== undefined && row.remaining_resets_at > now
  const left = isCurrent ? Math.min(row.remaining, room.remaining) : room.remaining
  const quota = await budget.readQuota(now)
  const pausedUntil = later(row?.paused_until, now)
  const windowEnd = isCurrent ? row.remaining_resets_at : room.resetsAt
  const waitsUntil = later(row?.cooldown_until, now) ?? (left === 0 ? windowEnd : null)
  const isSpent = quota !== null && quota.used >= quota.limit
  const isUnreachable = isUnreachableBy(row)
  const open = waitsUntil ? 'waiting' : isUnreachable ? 'unreachable' : 'ready'
  const state = isSpent ? 'quota_exhausted' : pausedUntil ? 'paused' : open
  return {
    host: budget.name,
    state,
    resumesAt: iso(isSpent ? quota.resetsAt : (pausedUntil ?? waitsUntil)),
    budget: { remaining: left, limit: room.limit },
    quota: quota && {
      remaining: Math.max(0, quota.limit - quota.used),
      limit: quota.limit,
      resetsAt: quota.resetsAt.toISOString(),
    },
    failures: row?.failures ?? 0,
    lastSuccessAt: iso(row?.last_success_at),
    lastError:
      row?.last_error_code && row.last_error_at
        ? { code: row.last_error_code, message: row.last_error_message ?? '', at: row.last_error_at.toISOString() }
        : null,
  }
}

/** The last try failed without an answer or with a fault of the host, and nothing has succeeded since. */
function isUnreachableBy(row: HostRow | undefined): boolean {
  const isFault = row?.last_error_code === 'unavailable' || row?.last_error_code === 'timeout'
  return isFault && (row.last_error_at ?? 0) > (row.last_success_at ?? 0)
}

/**
 * @param hosts those that the platform needs, and the others that it has queried.
 * @param needed the hosts without which the platform cannot search.
 */
function platformStatus(
  platform: PlatformName,
  config: PlatformsConfig,
  hosts: HostStatus[],
  needed: HostStatus[],
): PlatformStatus {
  const isOn = config.enabled.includes(platform)
  const missing = [...(config.missing.get(platform) ?? [])]
  const decisive = isOn ? decisiveOf(platform, needed) : null
  const state = !isOn ? 'off' : missing.length > 0 ? 'not_configured' : (decisive?.state ?? 'ready')
  const successes = hosts.flatMap((host) => host.lastSuccessAt ?? []).sort()
  return {
    platform,
    state,
    isDefault: config.defaults.includes(platform),
    votes: definitionOf(platform).votes,
    missing,
    resumesAt: state === 'off' || state === 'not_configured' ? null : (decisive?.resumesAt ?? null),
    lastSuccessAt: successes.at(-1) ?? null,
    advice: adviceFor(platform, state, missing, hosts),
    sources: sourceFormOf(platform),
    hosts,
  }
}

function sourceFormOf(platform: PlatformName): PlatformStatus['sources'] {
  const { sources } = definitionOf(platform)
  return sources ? { form: sources.form, example: sources.example } : null
}

/** The host that decides when the platform can be used: the first one where one is enough, else the last. */
function decisiveOf(platform: PlatformName, hosts: HostStatus[]): HostStatus | null {
  const rank = ({ state, resumesAt }: HostStatus) => `${state === 'unreachable' ? 1 : 0} ${resumesAt ?? ''}`
  const soonestFirst = [...hosts].sort((a, b) => (rank(a) < rank(b) ? -1 : 1))
  return soonestFirst.at(definitionOf(platform).hasIndependentHosts ? 0 : -1) ?? null
}

function adviceFor(
  platform: PlatformName,
  state: PlatformState,
  missing: string[],
  hosts: HostStatus[],
): string | null {
  const page = `docs/platforms/${platform}.md`
  if (state === 'off') return howToTurnOn(platform)
  if (state === 'not_configured') return `Set ${missing.join(' and ')} (${page}).`
  // An error before a success is over.
  const failing = hosts.filter(({ lastError, lastSuccessAt }) => lastError && lastError.at > (lastSuccessAt ?? ''))
  const worst = failing.find(({ lastError }) => lastError?.code !== 'rate_limited') ?? failing[0]
  if (!worst?.lastError) return null
  return hosts.length > 1 ? `${worst.host}: ${worst.lastError.message}` : worst.lastError.message
}
