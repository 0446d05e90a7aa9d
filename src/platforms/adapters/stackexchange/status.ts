import type { RequestStatus } from '../../../database/column-types.ts'

/** The tags that moderators set (meta.stackexchange.com/q/402121). `status-review` is no decision yet. */
const statusTags: readonly (readonly [string, RequestStatus])[] = [
  ['status-completed', 'completed'],
  ['status-declined', 'declined'],
  ['status-planned', 'planned'],
  ['status-deferred', 'planned'],
  // Meant for bug reports; on a feature request it says that nothing will change.
  ['status-bydesign', 'declined'],
]

/** The status that the tags of a question tell; null for none. */
export function statusOfTags(tags: readonly string[]): RequestStatus | null {
  return statusTags.find(([tag]) => tags.includes(tag))?.[1] ?? null
}

/**
 * What became of a question. Its tags are the decision; closing is moderation of the question, so it comes second: as a
 * duplicate, or for a reason that says nothing about the wish.
 */
export function statusOfQuestion(
  tags: readonly string[],
  closing: { isClosed: boolean; reason: string | null },
): RequestStatus {
  const decided = statusOfTags(tags)
  if (decided !== null) return decided
  if (!closing.isClosed) return 'open'
  return /duplicate/i.test(closing.reason ?? '') ? 'duplicate' : 'closed'
}
