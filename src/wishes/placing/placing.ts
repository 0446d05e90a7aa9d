import { isDeepStrictEqual } from 'node:util'
import { sql } from 'kysely'
import type { Logger } from 'pino'
import { type ClaimedRow, claimRows, isUnclaimed } from '../../database/claimed-work.ts'
import type { Database, OpenDatabase } from '../../database/open.ts'
import { ServiceError } from '../../http/errors.ts'
import { storeChores } from '../../requests/judging/claims.ts'
import { countTexts } from '../../requests/words/uncounted-texts.ts'
import { pauseUnlessAborted } from '../../runtime/abort.ts'
import { type BackgroundRun, createBackgroundRun, wakeOn } from '../../runtime/background-run.ts'
import { type Clock, systemClock } from '../../runtime/clock.ts'
import { createPauses } from '../../runtime/event-loop.ts'
import type { SearchIndex } from '../../search/search-index.ts'
import { type CandidatesInput, findCandidates, maxCandidates, readComparedTexts } from '../pairs/candidates.ts'
import type { ComparedText } from '../pairs/compared-text.ts'
import { createWordCounter, type WordCounter } from '../pairs/rarity.ts'
import { joiningThreshold, possiblySameThreshold } from '../pairs/scorer.ts'
import { readRecurrence } from './chores.ts'
import { compareAgain, joinGrown } from './grown.ts'
import { type Placed, type Proposal, placeRequests } from './place.ts'
import { bySimilarity, findTargets, type Target } from './targets.ts'

const claimMs = 2 * 60_000

/** Claims requests that are to be placed, in the order in which they came. */
export async function claimRequests(database: Database, max: number): Promise<ClaimedRow[]> {
  const order = sql`position`
  const columns = sql<{ place: number }>`position::float8 as place`
  const claimed = await claimRows(database, 'wish_queue', { where: sql`true`, order, max, claimMs, columns })
  return claimed.sort((one, other) => one.place - other.place)
}

/** A count up to this is exact. */
const maxCounted = 10_000

/** How many requests wait to be placed; 10,000 stands for that many or more. */
export async function readBacklog(database: Database): Promise<number> {
  const { rows } = await sql<{ waiting: number }>`
    select count(*)::int as waiting from (select from wish_queue limit ${sql.lit(maxCounted)}) as queued`.execute(
    database,
  )
  return rows[0]!.waiting
}

interface PlacingDependencies {
  database: Database
  searchIndex: SearchIndex
  listen: OpenDatabase['listen']
  log: Pick<Logger, 'error' | 'warn'>
  clock: Clock
  /** Whether it begins by itself; else only by `run`. */
  isAutomatic: boolean
}

/** The maximum of requests that one transaction places: in the embedded backend all other statements wait for it. */
const maxSlice = 20
/** The next best is needed only where the best was parted, or has changed meanwhile. */
const maxTargets = 3
/** After each request, other work has the database to itself for so many times as long as placing it took. */
export const pauseFactor = 0.5
/** What stores a page stores others soon: they are placed together. */
const settleMs = 200

/** The name is in the triggers that notify (`database/schema/request-copies.sql`). */
const channel = 'wishwell_wish_queue'

/** Of the wishes that a request does not join, so many may be the same. */
const maxSimilar = 3

interface Turn {
  id: string
  text: ComparedText
  /** Those of its slice that were placed before it. */
  placed: ReadonlySet<string>
  /** Those of its slice that are placed after it. */
  later: readonly string[]
}

/**
 * What is placed later is no target yet: it finds this request when its turn comes. So what arrives together is placed as if it came one after the
 * other. What another process is placing at the same time may be one: else neither might find the other.
 */
const isLater = (later: readonly string[]) => sql`(hits.id = any(${[...later]}::uuid[])
  or exists (select from wish_queue where wish_queue.request_id = hits.id and ${isUnclaimed}))`

/** So many of the best matches are looked through for what is placed already. */
const maxLookedThrough = 100

/**
 * The wishes that a claimed request may join, three at most, and others that may be the same. It joins none where its title recurs in its source; what is a
 * chore is judged as one here, also where it was taken for a wish before, and is not the same as anything.
 */
async function findProposed(
  input: CandidatesInput & { executor: Database },
  { id, text, placed, later }: Turn,
): Promise<Omit<Proposal, 'claim'>> {
  const candidates = await findCandidates(input, text, { id, max: maxLookedThrough, marked: isLater(later) })
  const idsOf = (found: typeof candidates) => found.slice(0, maxCandidates).map((candidate) => candidate.id)
  const [candidateIds, placedIds] = [idsOf(candidates), idsOf(candidates.filter(({ isMarked }) => !isMarked))]
  const recurrence = await readRecurrence(input.executor, id, text, candidateIds)
  if (recurrence !== null && recurrence.texts.length > 0) {
    await storeChores(input.executor, recurrence)
    return { targets: [], recurring: recurrence.ids }
  }
  const find = (ids: readonly string[]) =>
    findTargets(input, { id, text, candidateIds: ids, placed, threshold: possiblySameThreshold })
  const found = await find(placedIds)
  const isTarget = ({ similarity }: Target) => recurrence === null && similarity >= joiningThreshold
  const targets = found.filter(isTarget).slice(0, maxTargets)
  const compared = isDeepStrictEqual(candidateIds, placedIds) ? found : await find(candidateIds)
  const similar = compared
    .filter((target) => !isTarget(target))
    .sort(bySimilarity)
    .slice(0, maxSimilar)
  return { targets, similar, ...(recurrence !== null && { recurring: recurrence.ids }) }
}

interface SliceInput {
  database: Database
  searchIndex: SearchIndex
  words: WordCounter
  maxRequests?: number
  /** Waits between two requests, for as long as other work should have the database. @param tookMs how long the last one took */
  pause?: (tookMs: number) => Promise<unknown>
  /** Called when a request could not be compared; its claim expires, and it is tried again then. */
  onError: (error: unknown, id: string) => void
  clock?: Clock
}

/**
 * Places a slice of the queue, one request after the other: statements that read its candidates, and a short transaction for each that joins a wish, with
 * those before it that do not.
 * @returns null when there was nothing to claim.
 */
export async function placeSlice({
  database,
  searchIndex,
  words,
  maxRequests = maxSlice,
  pause = async () => {},
  onError,
  clock = systemClock,
}: SliceInput): Promise<Omit<Placed, 'alike'> | null> {
  // How rare words are decides who belongs together, so those of new texts are counted first.
  await countTexts(database)
  const claims = await claimRequests(database, maxRequests)
  if (claims.length === 0) return null
  const ids = claims.map(({ id }) => id)
  const texts = await readComparedTexts(database, ids)
  const sum = { placed: 0, joined: 0 }
  let proposals: Proposal[] = []
  const place = async () => {
    const { placed, joined, alike } = await placeRequests(database, proposals)
    proposals = []
    sum.placed += placed
    sum.joined += joined
    for (const grown of alike) await joinGrown(database, { ...grown, now: clock.now() }, onError)
  }
  const yieldLoop = createPauses()
  for (const [index, claim] of claims.entries()) {
    const startedAt = performance.now()
    const text = texts.get(claim.id)
    const input = { executor: database, searchIndex, words }
    const turn = { id: claim.id, placed: new Set(ids.slice(0, index)), later: ids.slice(index + 1) }
    try {
      const proposed = text === undefined ? { targets: [] } : await findProposed(input, { ...turn, text })
      proposals.push({ claim, ...proposed })
      if (proposed.targets.length > 0) await place()
    } catch (error) {
      onError(error, claim.id)
    }
    await pause(performance.now() - startedAt)
    await yieldLoop()
  }
  await place()
  return sum
}

/**
 * Places requests in wishes, in the background: whenever some are queued, and in every round of maintenance. What a stop leaves is placed by
 * another process or after the next start.
 */
export async function startPlacing({
  database,
  searchIndex,
  listen,
  log,
  clock,
  isAutomatic,
}: PlacingDependencies): Promise<BackgroundRun> {
  const words = createWordCounter()
  const onError = (error: unknown, id: string) =>
    error instanceof ServiceError
      ? log.warn({ id, reason: error.message }, 'a wish could not be joined with one that is alike')
      : log.error({ err: error, id }, 'a request could not be placed')
  const placing = createBackgroundRun({
    step: async (signal) => {
      const pause = (tookMs: number) => pauseUnlessAborted(tookMs * pauseFactor, signal)
      return (await placeSlice({ database, searchIndex, words, pause, onError, clock })) !== null
    },
    onError: (error) => log.error({ err: error }, 'placing requests failed'),
  })
  const run = {
    ...placing,
    job: async (): Promise<false> => {
      await compareAgain(database, clock.now())
      return placing.job()
    },
  }
  return isAutomatic ? wakeOn(run, { listen, channel, delayMs: settleMs }) : run
}
