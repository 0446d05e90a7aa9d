import type { Outbound } from '../../../http/outbound/outbound.ts'
import type { Clock } from '../../../runtime/clock.ts'
import type { TrackerAdapter, TrackerAdapters } from '../tracker.ts'
import { createGithubTracker } from './github.ts'
import { createGitlabTracker } from './gitlab.ts'
import { createJiraTracker } from './jira.ts'
import { createLinearTracker } from './linear.ts'
import { createWebhookTracker } from './webhook.ts'

/** Creates every type of tracker. */
export function createTrackers(outbound: Outbound, clock: Clock): TrackerAdapters {
  const all: TrackerAdapter[] = [
    createGithubTracker(outbound),
    createGitlabTracker(outbound),
    createLinearTracker(outbound),
    createJiraTracker(outbound),
    createWebhookTracker(outbound, clock),
  ]
  return new Map(all.map((adapter) => [adapter.type, adapter]))
}
