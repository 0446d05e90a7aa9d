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

/** Claims requests to place, oldest first. */
export async function claimRequests(database: Database, max: number): Promise<ClaimedRow[]> {
  const order = sql`position`
  const columns = sql<{ place: number }>`position::float8 as place`
  const claimed = await claimRows(database, 'wish_queue', { where: sql`true`, order, max, claimMs, columns })
  return claimed.sort((one, other) => one.place - other.place)
}

const maxCounted = 10_000

/** How many requests wait to be placed, up to 10,000. */
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
  /** Whether it starts by itself; else only by `run`. */
  isAutomatic: boolean
}

/** Requests placed per transaction: in the embedded backend, all other statements wait for it. */
const maxSlice = 20
/** Further targets are only needed if the best was parted or has changed. */
const maxTargets = 3
/** Pause after each request, as a multiple of its duration, to leave the database to other work. */
export const pauseFactor = 0.5
/** Pages often come in series, so place their requests together. */
const settleMs = 200

/** Also in the notifying triggers (`database/schema/request-copies.sql`). */
const channel = 'wishwell_wish_queue'

const maxSimilar = 3

interface Turn {
  id: string
  text: ComparedText
  /** Placed before it in the same slice. */
  placed: ReadonlySet<string>
  /** Placed after it in the same slice. */
  later: readonly string[]
}

/**
 * Whether a match is placed later, and so is no target: it will find this request itself. Requests that another process
 * is placing are targets: else neither might find the other.
 */
const isLater = (later: readonly string[]) => sql`(hits.id = any(${[...later]}::uuid[])
  or exists (select from wish_queue where wish_queue.request_id = hits.id and ${isUnclaimed}))`

/** Best matches searched for placed ones. */
const maxLookedThrough = 100

/** Up to three wishes to join, and similar ones. None for recurring titles, whose chores are judged here. */
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
  /** Waits between two requests to leave the database to other work. @param tookMs how long the last took */
  pause?: (tookMs: number) => Promise<unknown>
  /** Called if a request cannot be compared; it is retried when its claim expires. */
  onError: (error: unknown, id: string) => void
  clock?: Clock
}

/** Places a slice of the queue, committing after each request that joins a wish. Null if nothing was claimed. */
export async function placeSlice({
  database,
  searchIndex,
  words,
  maxRequests = maxSlice,
  pause = async () => {},
  onError,
  clock = systemClock,
}: SliceInput): Promise<Omit<Placed, 'alike'> | null> {
  // The rarity of words decides what belongs together, so count new texts first.
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

/** Places queued requests in the background. After a stop, another process or the next start continues. */
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
