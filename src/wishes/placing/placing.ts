import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { Database, OpenDatabase } from '../../database/open.ts'
import type { SearchIndex } from '../../requests/search/search-index.ts'
import { countTexts } from '../../requests/search/uncounted-texts.ts'
import { createPauses } from '../../runtime/event-loop.ts'
import type { MaintenanceJob } from '../../runtime/maintenance.ts'
import { readComparedTexts } from '../pairs/candidates.ts'
import { createWordCounter, type WordCounter } from '../pairs/rarity.ts'
import { joiningThreshold } from '../pairs/scorer.ts'
import { claimRequests } from './claims.ts'
import { type Placed, type Proposal, placeRequests } from './place.ts'
import { findTargets } from './targets.ts'

export interface PlacingDependencies {
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

/** The name is in the trigger that notifies (`database/migrations/version-3/placing.ts`). */
const channel = 'wishwell_wish_queue'

export interface SliceInput {
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
      const targets =
        text === undefined ? [] : await findTargets(input, { id: claim.id, text, threshold: joiningThreshold })
      proposals.push({ claim, targets: targets.slice(0, maxTargets) })
    } catch (error) {
      onError(error, claim.id)
    }
    await pause(performance.now() - startedAt)
    await yieldLoop()
  }
  return placeRequests(database, proposals)
}

export interface Placing {
  /** Begins a run in the background unless one is under way: other maintenance jobs do not wait for a long backlog. */
  job: MaintenanceJob
  /** Places requests until none is left to claim. */
  run(): Promise<void>
  /** Ends the run after the slice that is under way. What is left is placed by another process or after the next start. */
  stop(): Promise<void>
}

/** Places requests in wishes, in the background: whenever some are queued, and in every round of maintenance. */
export async function startPlacing({
  database,
  searchIndex,
  listen,
  log,
  isAutomatic,
}: PlacingDependencies): Promise<Placing> {
  const words = createWordCounter()
  const stopping = new AbortController()
  let underWay: Promise<void> | null = null
  let timer: NodeJS.Timeout | undefined
  const pause = (tookMs: number) => sleep(tookMs * pauseFactor)
  const onError = (error: unknown, id: string) => log.error({ err: error, id }, 'a request could not be placed')
  const placeAll = async () => {
    for (let more = true; more && !stopping.signal.aborted; ) {
      more = (await placeSlice({ database, searchIndex, words, pause, onError })) !== null
    }
  }
  const run = (): Promise<void> => {
    underWay ??= placeAll().finally(() => {
      underWay = null
    })
    return underWay
  }
  const start = () => {
    timer = undefined
    if (!stopping.signal.aborted) run().catch((error: unknown) => log.error({ err: error }, 'placing requests failed'))
  }
  const startSoon = () => {
    timer ??= setTimeout(start, settleMs).unref()
  }
  const stopListening = isAutomatic ? await listen(channel, startSoon) : null
  // What another process left.
  if (isAutomatic) startSoon()
  return {
    run,
    job: async () => {
      start()
      return false
    },
    stop: async () => {
      stopping.abort()
      clearTimeout(timer)
      await stopListening?.()
      await underWay?.catch(() => {})
    },
  }
}
