import { asFields, asList } from '../content/fields.ts'
import {
  type FoundRequest,
  type Json,
  type Page,
  type PageRequest,
  PlannedWaitError,
  PlatformError,
  SourceRefusedError,
} from '../platform.ts'

/** One page of one source. */
export interface SourcePage {
  requests: FoundRequest[]
  /** What to pass for the page of this source after this one; null when the source has no more. */
  nextCursor: Json
}

export interface Turns {
  /** What is asked, in its order: sites, forums, projects, phrases. */
  sources: readonly string[]
  request: PageRequest
  /** Where the first turn goes: by default on from where earlier jobs for the same topic stopped. */
  firstSource?: number
  /** What has a host of its own fails by itself: the name of the host of a source, one for all unless given. */
  hostOf?: (source: string) => string
  /** @param cursor null for the first page of this source. */
  fetchFrom(source: string, cursor: Json): Promise<SourcePage>
}

interface Position {
  turn: number
  next: Map<string, Json>
  ended: Set<string>
}

/**
 * Fetches a page of the source whose turn it is, so that a shallow search sees all of them. The cursor is
 * `{turn, next: {[source]: cursor}, ended: [source]}`. A source that is not in it (the operator has added it since) begins at its
 * first page, one that is no longer configured is left out. A source that is refused is left out for the rest of the task, as are
 * all those whose host fails for good or is paused; a host that must be waited for lets the next one go first.
 * @throws PlatformError when no source can answer now: the soonest wait, or else the first failure.
 */
export async function fetchRoundRobin({
  sources,
  request,
  firstSource,
  hostOf = () => '',
  fetchFrom,
}: Turns): Promise<Page | null> {
  const position = readPosition(request.cursor, firstSource ?? request.pagesBefore)
  const waits: PlatformError[] = []
  const failures: PlatformError[] = []
  const failedHosts = new Set<string>()
  let hasBrokenOff = false
  for (let step = 0; step < sources.length; step++) {
    const index = (position.turn + step) % sources.length
    const source = sources[index]!
    const host = hostOf(source)
    if (position.ended.has(source) || failedHosts.has(host)) continue
    try {
      const page = await fetchFrom(source, position.next.get(source) ?? null)
      advance(position, source, page.nextCursor)
      return { requests: page.requests, nextCursor: cursorOf(position, sources, index + 1) }
    } catch (error) {
      if (!(error instanceof PlatformError) || error.code === 'cancelled') throw error
      const concerned = error instanceof SourceRefusedError ? [source] : sources.filter((one) => hostOf(one) === host)
      if (!(error instanceof SourceRefusedError)) failedHosts.add(host)
      if (error.retryAt && !isPaused(error)) waits.push(error)
      else {
        failures.push(error)
        hasBrokenOff ||= concerned.some((one) => position.next.has(one) || position.ended.has(one))
        for (const one of concerned) position.ended.add(one)
      }
    }
  }
  if (waits.length > 0) throw soonestOf(waits)
  // Where some delivered all that they have, others that never answered spoil nothing; `wishwell platforms` tells of those.
  const hasDelivered = request.cursor !== null
  if (failures.length > 0 && (hasBrokenOff || !hasDelivered)) throw soonestOf(failures)
  return null
}

/** A host that is paused because it keeps failing is waited for only where there is no other. */
const isPaused = (error: PlatformError) => error instanceof PlannedWaitError && error.code === 'unavailable'

/** The error that can be over first. */
function soonestOf(errors: PlatformError[]): PlatformError {
  const endOf = ({ retryAt }: PlatformError) => retryAt?.getTime() ?? Number.POSITIVE_INFINITY
  return errors.reduce((soonest, error) => (endOf(error) < endOf(soonest) ? error : soonest))
}

function advance(position: Position, source: string, nextCursor: Json): void {
  // A platform that hands out the same cursor again would be asked for ever.
  const isStuck = JSON.stringify(nextCursor) === JSON.stringify(position.next.get(source) ?? null)
  if (nextCursor === null || isStuck) {
    position.next.delete(source)
    position.ended.add(source)
  } else position.next.set(source, nextCursor)
}

function cursorOf({ next, ended }: Position, sources: readonly string[], turn: number): Json {
  if (sources.every((source) => ended.has(source))) return null
  return { turn: turn % sources.length, next: Object.fromEntries(next), ended: [...ended] }
}

function readPosition(cursor: Json, firstSource: number): Position {
  const fields = asFields(cursor)
  const turn = fields?.turn
  const ended = (asList(fields?.ended) ?? []).filter((source) => typeof source === 'string')
  return {
    turn: typeof turn === 'number' && Number.isSafeInteger(turn) && turn >= 0 ? turn : firstSource,
    next: new Map(Object.entries((asFields(fields?.next) ?? {}) as Record<string, Json>)),
    ended: new Set(ended),
  }
}
