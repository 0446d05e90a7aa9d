import type { RequestStatus } from '../../../database/column-types.ts'
import { meaningsOfLabels, statusWhileOpen } from '../tracker-labels.ts'

export interface GitlabState {
  isClosed: boolean
  isDuplicate: boolean
  /** Moved to another project, where the wish goes on. */
  isMoved: boolean
  labels: readonly string[]
}

/** What became of an issue. GitLab states no reason for a closing (docs.gitlab.com/api/issues), so only its labels tell one. */
export function statusOfIssue({ isClosed, isDuplicate, isMoved, labels }: GitlabState): RequestStatus {
  const found = meaningsOfLabels(labels)
  if (!isClosed) return statusWhileOpen(found)
  if (isDuplicate || found.has('duplicate')) return 'duplicate'
  if (isMoved || found.has('stale')) return 'closed'
  if (found.has('declined')) return 'declined'
  return found.has('completed') ? 'completed' : 'closed'
}
