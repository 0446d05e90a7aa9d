import type { Outbound } from '../../../http/outbound/outbound.ts'
import type { TrackerAdapter, TrackerAdapters } from '../tracker.ts'
import { createGithubTracker } from './github.ts'
import { createLinearTracker } from './linear.ts'

/** Every type of trackers. */
export function createTrackers(outbound: Outbound): TrackerAdapters {
  const all: TrackerAdapter[] = [createGithubTracker(outbound), createLinearTracker(outbound)]
  return new Map(all.map((adapter) => [adapter.type, adapter]))
}
