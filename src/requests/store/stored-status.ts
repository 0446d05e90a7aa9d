import type { PlatformName, RequestStatus } from '../../database/column-types.ts'

/** The tags by which moderators of Stack Exchange decide (meta.stackexchange.com/q/402121). */
const stackExchangeTags: readonly (readonly [string, RequestStatus])[] = [
  ['status-completed', 'completed'],
  ['status-declined', 'declined'],
  ['status-planned', 'planned'],
  ['status-deferred', 'planned'],
  ['status-bydesign', 'declined'],
]

/**
 * The status of a request of version 1, which stored none: what its stored tags say. Of GitHub and GitLab only open issues were
 * stored then. Null where nothing is known until it is read again.
 */
export function statusOfTags(platform: PlatformName, tags: readonly string[]): RequestStatus | null {
  if (platform === 'github' || platform === 'gitlab') return 'open'
  if (platform !== 'stackexchange') return null
  return stackExchangeTags.find(([tag]) => tags.includes(tag))?.[1] ?? null
}
