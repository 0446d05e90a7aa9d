import type { FaultName } from '../../simulator/faults.ts'
import type { SimulatedPlatformName } from '../../simulator/platforms/index.ts'
import type { PlatformErrorCode } from '../../src/database/column-types.ts'

/** How a task ends: well, with everything that there is, or in error with this code. */
export type Outcome = 'done' | PlatformErrorCode

export interface Expectation {
  fault: FaultName
  /** The wait that the fault announces, if it announces one. */
  seconds?: number
  outcome: Outcome
  /** Its answers are true all the same. */
  isHarmless?: boolean
  /** Platforms that end otherwise. Each has its reason beside it. */
  exceptions?: Partial<Record<SimulatedPlatformName, Outcome>>
  /**
   * Platforms that take it for a refusal by one source, each of whose sources has one page: once another source has given all it has, the task ends well
   * with that.
   */
  refusesSource?: readonly SimulatedPlatformName[]
}

/** Faults that stay: each is tried as often as makes sense, and then it ends its platform. */
export const lastingFaults: readonly Expectation[] = [
  {
    fault: 'unauthorized',
    outcome: 'unauthorized',
    // They have no credentials that could be wrong: a 403 is a refusal of the address.
    exceptions: { hackernews: 'blocked', appstore: 'blocked' },
    refusesSource: ['fider'],
  },
  { fault: 'server_error', outcome: 'unavailable' },
  { fault: 'bad_gateway', outcome: 'unavailable' },
  { fault: 'reset', outcome: 'unavailable' },
  { fault: 'truncated_gzip', outcome: 'bad_response' },
  { fault: 'truncated_json', outcome: 'bad_response' },
  { fault: 'empty_body', outcome: 'bad_response', refusesSource: ['fider', 'rss'] },
  { fault: 'html_page', outcome: 'bad_response' },
  { fault: 'wrong_shape', outcome: 'bad_response', refusesSource: ['fider', 'rss'] },
  // A body that is JSON is read as JSON, whatever it is called.
  { fault: 'wrong_content_type', outcome: 'done', isHarmless: true },
  { fault: 'huge_body', outcome: 'bad_response' },
  { fault: 'gzip_bomb', outcome: 'bad_response' },
  { fault: 'redirect_loop', outcome: 'bad_response' },
  { fault: 'redirect_private', outcome: 'bad_response' },
  // Longer than a task waits: it ends at once instead.
  { fault: 'rate_limit', seconds: 2 * 3_600, outcome: 'rate_limited' },
  { fault: 'dated_rate_limit', seconds: 2 * 3_600, outcome: 'rate_limited' },
  { fault: 'html_rate_limit', seconds: 2 * 3_600, outcome: 'rate_limited' },
  { fault: 'server_error', seconds: 2 * 3_600, outcome: 'unavailable' },
]

/** Answers that never arrive. */
export const lastingSilence: readonly Expectation[] = [
  { fault: 'slow_headers', outcome: 'timeout' },
  { fault: 'stalled_body', outcome: 'timeout' },
]

/** Answers that do not come, once. */
export const passingSilence: readonly Expectation[] = lastingSilence.map(({ fault }) => ({ fault, outcome: 'done' }))

/** Temporary faults: the same request is repeated at once. */
export const passingFaults: readonly Expectation[] = [
  { fault: 'server_error', outcome: 'done' },
  { fault: 'bad_gateway', outcome: 'done' },
  { fault: 'reset', outcome: 'done' },
]

/** Refusals that pass, with the time that they name. */
export const passingWaits: readonly Expectation[] = [
  { fault: 'server_error', seconds: 1, outcome: 'done' },
  { fault: 'rate_limit', seconds: 1, outcome: 'done' },
  { fault: 'secondary_rate_limit', seconds: 1, outcome: 'done' },
  { fault: 'dated_rate_limit', seconds: 1, outcome: 'done' },
  { fault: 'html_rate_limit', seconds: 1, outcome: 'done' },
]

export function expectedOutcome({ outcome, exceptions }: Expectation, platform: SimulatedPlatformName): Outcome {
  return exceptions?.[platform] ?? outcome
}
