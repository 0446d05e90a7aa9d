import type { PlatformErrorCode } from '../../database/column-types.ts'
import { count } from '../../runtime/count.ts'
import { asFields, asList } from '../content/fields.ts'
import {
  type FoundRequest,
  type Json,
  type Page,
  type PageRequest,
  PlannedWaitError,
  PlatformError,
  SourceRefusedError,
  SourceUnavailableError,
} from '../platform.ts'

/** One page of one source. Its cursors belong to that source; null if it has no more pages. */
export type SourcePage = Page

export interface RoundRobin {
  /** Sites, forums, projects or phrases, in query order. */
  sources: readonly string[]
  request: PageRequest
  /** Index of the first source; by default the one after the source where earlier jobs for the topic stopped. */
  firstSource?: number
  /** The host of a source, because sources of one host fail together. By default all share one host. */
  hostOf?: (source: string) => string
  fetchFrom(source: string, cursor: Json): Promise<SourcePage>
}

interface Position {
  nextSource: number
  /** Cursors of sources that have started and have more. */
  next: Map<string, Json>
  ended: Set<string>
  /** Failures of sources until they deliver again. */
  failed: Map<string, Failure>
}

interface Failure {
  code: PlatformErrorCode
  message: string
  /** Whether it has delivered a page before. */
  hasBegun: boolean
}

/** Some sources failed after the others delivered everything. */
export class SourcesFailedError extends PlatformError {}

/**
 * Fetches a page of the next source, so that even a shallow search covers all of them.
 * - The cursor is `{turn, next: {[source]: cursor}, ended: [source], failed?: {[source]: failure}}`. Newly configured
 *   sources start at their first page, removed ones are skipped.
 * - A refused source is skipped for the rest of the task, as are all sources of a host that fails for good or is
 *   paused.
 * - Requests from an account's source are marked with it. Several searches of a source are named `<source> <way>`.
 * - A host in a planned wait, or a source with nothing now, is passed over.
 * @returns null once every source has ended
 * @throws PlatformError if none can answer now: the soonest wait, else the first failure; SourcesFailedError if others
 *   delivered
 */
export async function fetchRoundRobin({
  sources,
  request,
  firstSource,
  hostOf = () => '',
  fetchFrom,
}: RoundRobin): Promise<Page | null> {
  const position = readPosition(request.cursor, firstSource ?? request.pagesBefore)
  const waits: PlatformError[] = []
  const failures: PlatformError[] = []
  const failedHosts = new Set<string>()
  let hasBrokenOff = false
  for (let step = 0; step < sources.length; step++) {
    const index = (position.nextSource + step) % sources.length
    const source = sources[index]!
    const host = hostOf(source)
    if (position.ended.has(source) || failedHosts.has(host)) continue
    try {
      const fetched = await fetchFrom(source, position.next.get(source) ?? null)
      const page = request.sources === undefined ? fetched : inOwnSource(fetched, source)
      const ifKnown = request.newestSince ? copyOf(position) : null
      advance(position, source, page.nextCursor)
      const nextCursor = cursorOf(position, sources, index + 1)
      if (ifKnown === null) return { ...page, nextCursor }
      advance(ifKnown, source, page.nextCursorIfKnown ?? null)
      return { ...page, nextCursor, nextCursorIfKnown: cursorOf(ifKnown, sources, index + 1) }
    } catch (error) {
      if (!(error instanceof PlatformError) || error.code === 'cancelled') throw error
      const isOfSource = error instanceof SourceRefusedError || error instanceof SourceUnavailableError
      const affected = isOfSource ? [source] : sources.filter((one) => hostOf(one) === host)
      if (!isOfSource) failedHosts.add(host)
      const isOver = !error.retryAt || isPaused(error)
      for (const one of affected) {
        const hasBegun = position.next.has(one) || position.ended.has(one)
        hasBrokenOff ||= isOver && hasBegun
        // A planned wait is no failure, but one after a failure is, until the source delivers.
        if (isOver || !(error instanceof PlannedWaitError))
          position.failed.set(one, { code: error.code, message: error.message, hasBegun })
        if (isOver) position.ended.add(one)
      }
      if (isOver) failures.push(error)
      else waits.push(error)
    }
  }
  if (waits.length > 0) throw soonestOf(waits)
  // If some sources delivered all their pages, the task succeeds and names the sources that failed.
  const hasDelivered = request.cursor !== null
  if (failures.length > 0 && (hasBrokenOff || !hasDelivered)) throw soonestOf(failures)
  const failed = failures.length > 0 ? summaryOf(position) : null
  if (failed !== null) throw new SourcesFailedError(failed.code, failed.message)
  return null
}

/** Marks a page of an account's source; `sources/attribution.ts` unmarks what the operator also lists. */
function inOwnSource(page: SourcePage, name: string): SourcePage {
  const ownSource = name.split(' ')[0]!
  const owned = (found: FoundRequest[]) => found.map((request) => ({ ...request, ownSource }))
  return {
    ...page,
    requests: owned(page.requests),
    ...(page.incomplete && { incomplete: owned(page.incomplete) }),
    ...(page.offTopic && { offTopic: owned(page.offTopic) }),
  }
}

const maxTold = 10

function summaryOf({ failed }: Pick<Position, 'failed'>): Pick<Failure, 'code' | 'message'> | null {
  const [first] = failed.values()
  if (first === undefined) return null
  const messages = [...new Set([...failed.values()].map(({ message }) => message))]
  const more = messages.length > maxTold ? [`${count(messages.length - maxTold, 'more source')} failed.`] : []
  return { code: first.code, message: [...messages.slice(0, maxTold), ...more].join(' ') }
}

/** Summarizes the failed sources that a task went on without, from its last cursor; null if none. */
export const failuresIn = (cursor: Json) => summaryOf(readPosition(cursor, 0))

/**
 * The sources not yet fetched, by the task's last cursor. An adapter may use several ways per source, named `<source>
 * <way>`; a cursor of another form searches all sources at once.
 */
export function unreachedSources(sources: readonly string[], cursor: Json): string[] {
  const fields = asFields(cursor)
  if (fields === null || asFields(fields.next) === null || asList(fields.ended) === null) return []
  const { next, ended, failed } = readPosition(cursor, 0)
  const begun = [...next.keys(), ...ended].filter((name) => failed.get(name)?.hasBegun !== false)
  const ways = begun.filter((name) => !sources.includes(name))
  return sources.filter((source) => !begun.includes(source) && !ways.some((name) => name.startsWith(`${source} `)))
}

/** A host paused for repeated failures counts as failed: the task waits for it only if no other host can answer. */
const isPaused = (error: PlatformError) => error instanceof PlannedWaitError && error.code === 'unavailable'

/** The error that may end first. */
function soonestOf(errors: PlatformError[]): PlatformError {
  const endOf = ({ retryAt }: PlatformError) => retryAt?.getTime() ?? Number.POSITIVE_INFINITY
  return errors.reduce((soonest, error) => (endOf(error) < endOf(soonest) ? error : soonest))
}

const copyOf = ({ nextSource, next, ended, failed }: Position): Position => ({
  nextSource,
  next: new Map(next),
  ended: new Set(ended),
  failed: new Map(failed),
})

function advance(position: Position, source: string, nextCursor: Json): void {
  position.failed.delete(source)
  // Stops platforms that repeat a cursor from being queried forever.
  const isStuck = JSON.stringify(nextCursor) === JSON.stringify(position.next.get(source) ?? null)
  if (nextCursor === null || isStuck) {
    position.next.delete(source)
    position.ended.add(source)
  } else position.next.set(source, nextCursor)
}

/** Null once all sources have ended. Not after a failure: the task stores it, and the next call ends the task. */
function cursorOf({ next, ended, failed }: Position, sources: readonly string[], nextSource: number): Json {
  if (failed.size === 0 && sources.every((source) => ended.has(source))) return null
  const cursor = { turn: nextSource % sources.length, next: Object.fromEntries(next), ended: [...ended] }
  return failed.size === 0 ? cursor : { ...cursor, failed: Object.fromEntries(failed) as unknown as Json }
}

function readPosition(cursor: Json, firstSource: number): Position {
  const fields = asFields(cursor)
  const turn = fields?.turn
  const namesIn = (list: unknown) => (asList(list) ?? []).filter((source) => typeof source === 'string')
  return {
    nextSource: typeof turn === 'number' && Number.isSafeInteger(turn) && turn >= 0 ? turn : firstSource,
    next: new Map(Object.entries((asFields(fields?.next) ?? {}) as Record<string, Json>)),
    ended: new Set(namesIn(fields?.ended)),
    failed: new Map(Object.entries((asFields(fields?.failed) ?? {}) as Record<string, Failure>)),
  }
}
