import { sql } from 'kysely'
import type { Logger } from 'pino'
import { type ClaimedRow, claimRows } from '../../database/claimed-work.ts'
import type { Database, OpenDatabase } from '../../database/open.ts'
import { storeChores } from '../../requests/judging/claims.ts'
import { countTexts } from '../../requests/words/uncounted-texts.ts'
import { pauseUnlessAborted } from '../../runtime/abort.ts'
import { type BackgroundRun, createBackgroundRun, wakeOn } from '../../runtime/background-run.ts'
import { createPauses } from '../../runtime/event-loop.ts'
import type { SearchIndex } from '../../search/search-index.ts'
import { type CandidatesInput, findCandidateIds, readComparedTexts } from '../pairs/candidates.ts'
import type { ComparedText } from '../pairs/compared-text.ts'
import { createWordCounter, type WordCounter } from '../pairs/rarity.ts'
import { joiningThreshold, possiblySameThreshold } from '../pairs/scorer.ts'
import { readRecurrence } from './chores.ts'
import { type Placed, type Proposal, placeRequests } from './place.ts'
import { bySimilarity, findTargets, type Target } from './targets.ts'

const claimMs = 2 * 60_000

/** Claims requests that are to be placed, the newest first. */
export const claimRequests = (database: Database, max: number): Promise<ClaimedRow[]> =>
  claimRows(database, 'wish_queue', { where: sql`true`, order: sql`queued_at desc, request_id`, max, claimMs })

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
  log: Pick<Logger, 'error'>
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

/**
 * The wishes that a claimed request may join, three at most, and others that may be the same. It joins none where its title recurs in its source; what is a
 * chore is judged as one here, also where it was taken for a wish before, and is not the same as anything.
 */
async function findProposed(
  input: CandidatesInput & { executor: Database },
  id: string,
  text: ComparedText,
): Promise<Pick<Proposal, 'targets' | 'similar'>> {
  const candidateIds = await findCandidateIds(input, text, { id })
  const recurrence = await readRecurrence(input.executor, id, text, candidateIds)
  if (recurrence !== null && recurrence.texts.length > 0) {
    await storeChores(input.executor, recurrence)
    return { targets: [] }
  }
  const found = await findTargets(input, { id, text, candidateIds, threshold: possiblySameThreshold })
  const isTarget = ({ similarity }: Target) => recurrence === null && similarity >= joiningThreshold
  const similar = found.filter((target) => !isTarget(target)).sort(bySimilarity)
  return { targets: found.filter(isTarget).slice(0, maxTargets), similar: similar.slice(0, maxSimilar) }
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
}

/**
 * Places a slice of the queue: statements that read one request's candidates each, and one short transaction at the end.
 * @returns null when there was nothing to claim.
 */
export async function placeSlice({
  database,
  searchIndex,
  words,
  maxRequests = maxSlice,
  pause = async () => {},
  onError,
}: SliceInput): Promise<Placed | null> {
  // How rare words are decides who belongs together, so those of new texts are counted first.
  await countTexts(database)
  const claims = await claimRequests(database, maxRequests)
  if (claims.length === 0) return null
  const texts = await readComparedTexts(
    database,
    claims.map(({ id }) => id),
  )
  const proposals: Proposal[] = []
  const yieldLoop = createPauses()
  for (const claim of claims) {
    const startedAt = performance.now()
    const text = texts.get(claim.id)
    const input = { executor: database, searchIndex, words }
    try {
      const proposed = text === undefined ? { targets: [] } : await findProposed(input, claim.id, text)
      proposals.push({ claim, ...proposed })
    } catch (error) {
      onError(error, claim.id)
    }
    await pause(performance.now() - startedAt)
    await yieldLoop()
  }
  return placeRequests(database, proposals)
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
  isAutomatic,
}: PlacingDependencies): Promise<BackgroundRun> {
  const words = createWordCounter()
  const onError = (error: unknown, id: string) => log.error({ err: error, id }, 'a request could not be placed')
  const placing = createBackgroundRun({
    step: async (signal) => {
      const pause = (tookMs: number) => pauseUnlessAborted(tookMs * pauseFactor, signal)
      return (await placeSlice({ database, searchIndex, words, pause, onError })) !== null
    },
    onError: (error) => log.error({ err: error }, 'placing requests failed'),
  })
  return isAutomatic ? wakeOn(placing, { listen, channel, delayMs: settleMs }) : placing
}
