import { unreachedSources } from '../../platforms/adapters/round-robin.ts'
import type { Json } from '../../platforms/platform.ts'
import type { TaskRow } from './task-row.ts'

/** What a job says of the sources that its caller named; absent fields mean none. */
export interface JobSourcesRecord {
  /** By platform. */
  sources?: Record<string, string[]>
  /** Those of which no page was fetched before their platform ended, by platform. */
  sourcesNotReached?: Record<string, string[]>
}

/** The sources of an ended task of which no page was fetched; none where it has no page at all, because then its error says why. */
function unreachedOf({ sources, state, pages, cursor }: TaskRow): string[] {
  const isOpen = state === 'pending' || state === 'running'
  return sources === null || isOpen || pages === 0 ? [] : unreachedSources(sources, cursor as Json)
}

function listsByPlatform(tasks: readonly TaskRow[], listOf: (task: TaskRow) => string[]) {
  const lists = tasks.map((task) => [task.platform, listOf(task)] as const).filter(([, list]) => list.length > 0)
  return lists.length === 0 ? null : Object.fromEntries(lists)
}

export function describeSources(tasks: readonly TaskRow[]): JobSourcesRecord {
  const sources = listsByPlatform(tasks, (task) => task.sources ?? [])
  const sourcesNotReached = listsByPlatform(tasks, unreachedOf)
  return { ...(sources ? { sources } : {}), ...(sourcesNotReached ? { sourcesNotReached } : {}) }
}
