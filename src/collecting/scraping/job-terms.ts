import { type Static, Type } from 'typebox'
import type { PlatformName } from '../../database/column-types.ts'
import { defaulted, trimmedText } from '../../http/schemas.ts'
import { invalidField } from '../../http/validation.ts'
import { unreachedSources } from '../../platforms/adapters/round-robin.ts'
import { choosePlatforms } from '../../platforms/off-platforms.ts'
import type { Json } from '../../platforms/platform.ts'
import { platformList } from '../../platforms/schemas.ts'
import { type NamedSource, readSources, sourcesSchema } from '../../platforms/sources/named-sources.ts'
import { searchWords } from '../../platforms/topic-words.ts'
import type { JobSources } from './job-sources.ts'
import type { TaskRow } from './task-row.ts'

// What callers may ask of a job, and of all runs of a watch.

/** A job's report on the caller's sources; absent fields mean none. */
export interface JobSourcesRecord {
  sources?: Record<string, string[]>
  /** Sources without a page before their platform ended, by platform. */
  sourcesNotReached?: Record<string, string[]>
}

/** Sources of an ended task without a page; none if it has no page at all: its error then says why. */
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

export interface JobTermsDependencies {
  enabledPlatforms: readonly PlatformName[]
  defaultPlatforms: readonly PlatformName[]
  jobSources: JobSources
}

/** Body properties for what to collect. */
export const jobTermsSchema = ({ enabledPlatforms, defaultPlatforms, jobSources }: JobTermsDependencies) => ({
  topic: trimmedText(2, 100, 'What to collect requests about'),
  platforms: Type.Optional(platformList(enabledPlatforms, defaultPlatforms)),
  sources: Type.Optional(sourcesSchema(jobSources.kinds)),
  depth: defaulted(Type.Integer({ minimum: 1, maximum: 40, default: 1, description: 'Pages per platform' })),
})

export type JobTermsBody = Static<ReturnType<typeof Type.Object<ReturnType<typeof jobTermsSchema>>>>

export interface JobTerms {
  topic: string
  platforms: PlatformName[]
  off: PlatformName[]
  depth: number
  named: NamedSource[]
}

/** Reads a call's body. @throws ServiceError INVALID_REQUEST for a topic without words or a wrong source */
export function readJobTerms(
  { topic, depth = 1, platforms: given, sources }: JobTermsBody,
  { enabledPlatforms, defaultPlatforms, jobSources }: JobTermsDependencies,
): JobTerms {
  // No platform would be called, and callers must not pay for that.
  if (searchWords(topic).length === 0) throw invalidField('topic', 'must have a letter, a digit or an emoji')
  const named = sources ? readSources(sources, jobSources.kinds, given) : []
  const ofSources = named.map(({ platform }) => platform)
  const platforms = [...new Set(given ?? (named.length > 0 ? ofSources : defaultPlatforms))]
  const { off } = choosePlatforms(platforms, enabledPlatforms)
  return { topic, platforms, off, depth, named }
}

/** Named sources to check before starting anything: those of enabled platforms. */
export const sourcesToCheck = ({ named, off }: Pick<JobTerms, 'named' | 'off'>): NamedSource[] =>
  named.filter(({ platform }) => !off.includes(platform))
