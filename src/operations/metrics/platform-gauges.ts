import { type PlatformStatus, platformStates, readPlatformStatus, type StatusOptions } from '../../platforms/status.ts'
import type { Observation } from './catalogue.ts'
import type { Collector } from './collectors.ts'

const lowest = (shares: readonly { remaining: number; limit: number }[]): number =>
  Math.min(...shares.map(({ remaining, limit }) => remaining / limit))

function observePlatform({ platform, state, hosts, lastSuccessAt }: PlatformStatus): Observation[] {
  const labels = { platform }
  const quotas = hosts.flatMap(({ quota }) => quota ?? [])
  const observations: Observation[] = platformStates
    .filter((name) => name !== 'off')
    .map((name) => ({
      name: 'wishwell_platform_state',
      value: name === state ? 1 : 0,
      labels: { platform, state: name },
    }))
  if (hosts.length > 0) {
    const budget = lowest(hosts.map((host) => host.budget))
    observations.push({ name: 'wishwell_platform_budget_remaining_ratio', value: budget, labels })
    const failures = Math.max(...hosts.map((host) => host.failures))
    observations.push({ name: 'wishwell_platform_failures', value: failures, labels })
  }
  if (quotas.length > 0)
    observations.push({ name: 'wishwell_platform_quota_remaining_ratio', value: lowest(quotas), labels })
  if (lastSuccessAt !== null) {
    const value = Date.parse(lastSuccessAt) / 1_000
    observations.push({ name: 'wishwell_platform_last_success_timestamp_seconds', value, labels })
  }
  return observations
}

/** The platforms that are on. Their hosts are no label: a host is an address that the operator configured. */
export const platformCollector = (options: () => StatusOptions): Collector => ({
  name: 'platforms',
  maxAgeMs: 10_000,
  read: async () => {
    const statuses = await readPlatformStatus(options())
    return statuses.filter(({ state }) => state !== 'off').flatMap(observePlatform)
  },
})
