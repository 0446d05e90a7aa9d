import { type Static, Type } from 'typebox'
import type { PlatformName } from '../database/column-types.ts'
import type { Database } from '../database/open.ts'
import { named } from '../http/openapi-components.ts'
import { closed, moment, nullable, oneOf, openWord } from '../http/schemas.ts'
import type { Budget } from './budget/budget.ts'
import { definitionOf, platformNames } from './registry.ts'
import { platformErrorCode } from './schemas.ts'
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

const host = closed({
  host: Type.String({ description: 'A forum, an instance or the address of the API' }),
  state: oneOf(platformStates),
  resumesAt: nullable(moment('When it is queried again; null for now')),
  budget: closed(
    { remaining: Type.Integer(), limit: Type.Integer() },
    { description: 'Requests that may be sent in the current window, as far as this service can tell' },
  ),
  quota: nullable(
    closed(
      { remaining: Type.Integer(), limit: Type.Integer(), resetsAt: moment('When it is renewed, if known') },
      { description: 'Requests of the day, if the platform has such a quota' },
    ),
  ),
  failures: Type.Integer({ description: 'Failures in a row' }),
  lastSuccessAt: nullable(moment('When it last answered')),
  lastError: nullable(
    closed({
      code: platformErrorCode,
      message: Type.String(),
      at: moment('When its last failure was'),
    }),
  ),
})

export const platform = closed(
  {
    platform: openWord(platformNames, 'Its name'),
    state: oneOf(platformStates, {
      description:
        '`waiting` for the next window, `unreachable` since its last try failed (`lastError` of its hosts), `paused` because it keeps failing, `quota_exhausted` until tomorrow, `not_configured` without its credentials, `off` by PLATFORMS',
    }),
    isDefault: Type.Boolean({ description: 'Whether a call that names no platforms uses it' }),
    votes: Type.String({ description: 'What `votes` of its requests count' }),
    missing: Type.Array(Type.String(), { description: 'Required variables that are not set' }),
    resumesAt: nullable(moment('When it is queried again; null for now')),
    lastSuccessAt: nullable(moment('When it last answered')),
    advice: nullable(Type.String({ description: 'What the operator should do' })),
    sources: nullable(
      closed(
        { form: Type.String(), example: Type.String() },
        { description: 'What `sources` of a job may name on this platform; null for nothing' },
      ),
    ),
    hosts: Type.Array(host),
    yield: nullable(
      closed(
        {
          isOfAlikeTopics: Type.Boolean({ description: 'Whether only topics with a word of `topic` count' }),
          topics: Type.Integer(),
          pages: Type.Integer(),
          found: Type.Integer(),
          likely: Type.Integer({ description: 'New and likely feature requests' }),
          creditsPerWish: nullable(
            Type.Number({ description: 'Pages for each likely one; null where there was none' }),
          ),
        },
        {
          description:
            'What it gave to your last 300 collections, the first of each topic; null before the first. To an operator, to those of all accounts',
        },
      ),
    ),
  },
  named('PlatformStatus'),
)

export type PlatformStatus = Omit<Static<typeof platform>, 'yield'>
type HostStatus = PlatformStatus['hosts'][number]
export type PlatformYield = NonNullable<Static<typeof platform>['yield']>

/** By platform. @param accountId null for all accounts @param topic undefined for all topics */
export type ReadYields = (
  accountId: string | null,
  topic: string | undefined,
) => Promise<ReadonlyMap<PlatformName, PlatformYield>>

export interface StatusOptions {
  database: Database
  config: PlatformsConfig
  hosts: ReadonlyMap<PlatformName, readonly Budget[]>
  now: Date
}

/** The state of every platform: enabled, usable, until when. From the database, so all processes agree. */
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

/** The last try failed without an answer or by the host's fault, and none succeeded since. */
function isUnreachableBy(row: HostRow | undefined): boolean {
  const isFault = row?.last_error_code === 'unavailable' || row?.last_error_code === 'timeout'
  return isFault && (row.last_error_at ?? 0) > (row.last_success_at ?? 0)
}

/** @param hosts needed and other queried hosts @param needed hosts the platform cannot search without */
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

/** The host that decides when the platform is usable: the soonest if one suffices, else the last. */
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
  // Errors before a success no longer count.
  const failing = hosts.filter(({ lastError, lastSuccessAt }) => lastError && lastError.at > (lastSuccessAt ?? ''))
  const worst = failing.find(({ lastError }) => lastError?.code !== 'rate_limited') ?? failing[0]
  if (!worst?.lastError) return null
  return hosts.length > 1 ? `${worst.host}: ${worst.lastError.message}` : worst.lastError.message
}
