import type { RequestStatus } from '../../../database/column-types.ts'
import { type LabelMeaning, meaningsOfLabels, statusWhileOpen } from '../tracker-labels.ts'

export interface GithubState {
  isClosed: boolean
  /** `state_reason` of an issue, or `stateReason` of a discussion, in lower case; null where GitHub gives none. */
  reason: string | null
  labels: readonly string[]
}

/**
 * What became of an issue or a discussion.
 *
 * Older versions of actions/stale close without a reason, which GitHub stores as `completed`: with a label of a bot a closing
 * says nothing about the wish. Issues that were closed before May 2022 have no reason (haskell-github/github issue 523).
 */
export function statusOfIssue({ isClosed, reason, labels }: GithubState): RequestStatus {
  const found = meaningsOfLabels(labels)
  if (!isClosed) return statusWhileOpen(found)
  if (reason === 'duplicate' || found.has('duplicate')) return 'duplicate'
  if (found.has('stale')) return 'closed'
  return closedFor(reason, found)
}

function closedFor(reason: string | null, found: ReadonlySet<LabelMeaning>): RequestStatus {
  if (reason === 'not_planned' || found.has('declined')) return 'declined'
  // Before May 2022 only a label says so.
  if (reason === null && found.has('completed')) return 'completed'
  // Discussions are `resolved`.
  return reason === 'completed' || reason === 'resolved' ? 'completed' : 'closed'
}
