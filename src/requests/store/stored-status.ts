import type { PlatformName, RequestStatus } from '../../database/column-types.ts'
import { platformDefinitions } from '../../platforms/registry.ts'

const definitions = new Map(platformDefinitions.map((definition) => [definition.name, definition]))

/**
 * The status of a request of version 1, which stored none: what its stored tags say. Of GitHub and GitLab only open issues were
 * stored then. Null where nothing is known until it is read again.
 */
export function statusOfTags(platform: PlatformName, tags: readonly string[]): RequestStatus | null {
  const isTracker = platform === 'github' || platform === 'gitlab'
  return definitions.get(platform)?.statusOfTags?.(tags) ?? (isTracker ? 'open' : null)
}
