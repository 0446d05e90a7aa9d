import type { Command } from 'commander'
import { wholeList } from './api.ts'
import type { Data } from './api-types.ts'
import { operate, operatorCommand } from './operator-command.ts'
import { count, formatMoment, printable } from './text.ts'

export type PlatformStatus = Data<'listPlatformsForOperator'>['results'][number]
export type HostStatus = PlatformStatus['hosts'][number]

const help = `
States: ready; waiting (for its next window); unreachable (the last try failed);
failing (its last answer was an error; calls continue); paused (after
repeated failures); quota_exhausted (until tomorrow); not_configured (credentials are
missing); off (not in PLATFORMS).
`

/** `wishwell admin platforms`: every platform's state, remaining budget, and advice. */
export const platformsCommand = (): Command =>
  operatorCommand('platforms', 'show which platforms are on and usable, and how to fix the others', help).action(
    (options: { json: boolean }) =>
      operate(
        options,
        ({ api }) => wholeList((query) => api.GET('/api/admin/platforms', { params: { query } })),
        ({ results }) => formatPlatforms(results),
      ),
  )

/** Whether the last call failed, except by a limit. */
const isFailing = ({ lastError, lastSuccessAt }: HostStatus) =>
  lastError !== null && lastError.code !== 'rate_limited' && lastError.at > (lastSuccessAt ?? '')

/** A host whose last call failed does not count as ready, although calls continue. */
const stateOfHost = (host: HostStatus): string => (host.state === 'ready' && isFailing(host) ? 'failing' : host.state)

function stateOfPlatform({ state, hosts }: PlatformStatus): string {
  const failing = hosts.filter(isFailing).length
  if (state !== 'ready' || failing === 0) return state
  return failing === hosts.length ? 'failing' : `ready, but ${failing} of ${hosts.length} hosts failing`
}

function formatHost(status: HostStatus): string {
  const { host, resumesAt, budget, quota, lastSuccessAt } = status
  const until = resumesAt === null ? '' : ` until ${formatMoment(resumesAt)}`
  const today = quota === null ? '' : `, ${quota.remaining} of ${quota.limit} today`
  const success = lastSuccessAt === null ? 'no answer yet' : `last answer ${formatMoment(lastSuccessAt)}`
  return `    ${printable(host)}: ${stateOfHost(status)}${until}, ${budget.remaining} of ${budget.limit} requests left${today}, ${success}`
}

function formatYield({ topics, pages, found, likely, creditsPerWish }: NonNullable<PlatformStatus['yield']>): string {
  const cost = creditsPerWish === null ? '' : `, ${creditsPerWish} credits a wish`
  return `gave ${likely} likely of ${found} found on ${count(pages, 'page')} for ${count(topics, 'topic')}${cost}`
}

function formatPlatform(status: PlatformStatus): string[] {
  const { platform, state, isDefault, resumesAt, advice, hosts, yield: given } = status
  const until = resumesAt === null ? '' : ` until ${formatMoment(resumesAt)}`
  return [
    `${platform.padEnd(14)} ${stateOfPlatform(status)}${until}${isDefault ? ', used by default' : ''}`,
    ...(state === 'off' ? [] : hosts.map(formatHost)),
    // Older services do not report it.
    ...(given ? [`    ${formatYield(given)}`] : []),
    ...(advice === null ? [] : [`    ${printable(advice)}`]),
  ]
}

/** Formats the platforms. */
export const formatPlatforms = (platforms: readonly PlatformStatus[]): string[] => platforms.flatMap(formatPlatform)
