import type { Logger } from 'pino'
import type { EmbeddedClient, Queryable } from '../embedded/client.ts'
import { isIndexed, type Occasion, stepsDue, type UpkeepState } from './due.ts'
import { createPace } from './pace.ts'
import { createSearchIndexUpkeep } from './search-index.ts'
import { assumedRates, type Step } from './table-steps.ts'

export interface Slice {
  kind: Step['kind']
  target: string
  tookMs: number
}

export interface Upkeep {
  /** Does due work that takes too long while callers wait. Call at startup, before listening. */
  catchUp(): Promise<void>
  /** From now on, works whenever the database is unused. */
  start(): void
  /** Does the most urgent due work that is short enough, even if callers wait; null without any. */
  slice(): Promise<Slice | null>
  stop(): Promise<void>
}

export interface UpkeepOptions {
  client: EmbeddedClient
  log: Logger
  /** Maximum predicted ms per statement, well below the 250 a caller may wait, because predictions err. */
  budgetMs?: number
  /** Called after each slice, for measurements. */
  onSlice?: (slice: Slice) => void
  /** Whether the disk has room for a slice; otherwise only checkpoints run, which free space. Default: always. */
  hasRoom?: () => Promise<boolean>
}

const defaultBudgetMs = 120
const tickMs = 500
/** Unused this long, the database will probably stay unused for a moment. */
const idleEnoughMs = 250
/** On a busy database, work of at least this urgency runs between callers. */
const pressing = 2
/** After a slice, busy callers have the database to themselves for this many times its duration. */
const cooldownFactor = 4
/** Limits at startup, for one statement and for all. */
const catchUpStatementMs = 5_000
const catchUpMs = 45_000
const cooldownAfterFailureMs = 60_000
/** How often to look for due work on an unused database: queue rows change there too. */
const maxPollPauseMs = 10 * 60_000

/** Runs the most urgent due step of at least this urgency. */
type RunSlice = (minUrgency: number, occasion: Occasion) => Promise<Slice | null>

/** Logs each kind of skipped step once. */
function createTooLongLog(log: Logger, { pace }: UpkeepState) {
  const logged = new Set<string>()
  return ({ kind, target, units }: Step) => {
    pace.doubt(kind)
    const key = `${kind} ${target}`
    if (logged.has(key)) return
    logged.add(key)
    const expectedMs = Math.round(pace.predict(kind, units))
    log.info({ kind, target, expectedMs }, 'upkeep left undone: it would take too long')
  }
}

/** Runs single steps and learns their durations. */
function createRunner(
  { client, log, onSlice, hasRoom = async () => true }: UpkeepOptions,
  state: UpkeepState,
): RunSlice {
  const { pace, searchIndex } = state
  const logTooLong = createTooLongLog(log, state)
  const learn = ({ kind, target, units }: Step, tookMs: number, budgetMs: number) => {
    if (kind === 'merge') return searchIndex.merged(tookMs / budgetMs)
    const isRewrite = kind === 'vacuum' && isIndexed(target) && searchIndex.cleaned(tookMs, pace)
    if (!isRewrite) pace.learn(kind, units, tookMs)
  }
  const run = async (queries: Queryable, step: Step, { budgetMs }: Occasion): Promise<Slice> => {
    const startedAt = performance.now()
    await step.run(queries)
    const tookMs = performance.now() - startedAt
    learn(step, tookMs, budgetMs)
    const slice = { kind: step.kind, target: step.target, tookMs }
    log.debug({ ...slice, units: step.units }, 'upkeep')
    onSlice?.(slice)
    return slice
  }
  return async (minUrgency, occasion) => {
    // These queries run between callers' statements; only the step itself holds the lock.
    const { steps, tooLong } = await stepsDue(client.uncounted, state, occasion)
    for (const step of tooLong) logTooLong(step)
    const isRoomy = await hasRoom()
    const step = steps.find(({ urgency, kind }) => urgency >= minUrgency && (isRoomy || kind === 'checkpoint'))
    return step ? client.aside((queries) => run(queries, step, occasion)) : null
  }
}

/** Decides at each tick whether a slice may run. */
function createTick(client: EmbeddedClient, runSlice: RunSlice, budgetMs: number) {
  let cooldownUntil = 0
  let nothingDueAt = Number.NEGATIVE_INFINITY
  return async (): Promise<boolean> => {
    const isIdle = client.idleMs() >= idleEnoughMs
    if (!isIdle && performance.now() < cooldownUntil) return false
    const unusedSinceThen = performance.now() - client.idleMs() < nothingDueAt
    if (unusedSinceThen && performance.now() - nothingDueAt < maxPollPauseMs) return false
    const slice = await runSlice(isIdle ? 1 : pressing, { budgetMs, budgets: 1, isIdle })
    if (slice === null && isIdle) nothingDueAt = performance.now()
    cooldownUntil = performance.now() + (slice?.tookMs ?? tickMs) * cooldownFactor
    return slice !== null && client.idleMs() > 0
  }
}

/** Calls `tick` repeatedly, never concurrently; a failure pauses it. */
function createSchedule(tick: () => Promise<boolean>, onFailure: (error: unknown) => void) {
  let stopped = false
  let pausedUntil = 0
  let underWay: Promise<unknown> = Promise.resolve()
  let timer: NodeJS.Timeout
  const pauseAfter = (error: unknown) => {
    pausedUntil = performance.now() + cooldownAfterFailureMs
    onFailure(error)
  }
  const beat = async () => {
    if (performance.now() >= pausedUntil && (await tick())) callIn(1)
  }
  const callIn = (inMs: number) => {
    clearTimeout(timer)
    if (stopped) return
    timer = setTimeout(() => {
      callIn(tickMs)
      underWay = underWay.then(beat).catch(pauseAfter)
    }, inMs).unref()
  }
  return {
    pauseAfter,
    start: () => callIn(tickMs),
    stop: async () => {
      stopped = true
      clearTimeout(timer)
      await underWay
    },
  }
}

/** VACUUM, ANALYZE, checkpoints and index merges, in short statements, while the database is unused. */
export async function createUpkeep(options: UpkeepOptions): Promise<Upkeep> {
  const { client, log, budgetMs = defaultBudgetMs } = options
  const searchIndex = createSearchIndexUpkeep()
  const pace = createPace({ ...assumedRates, rewrite: 0.02 })
  await client.aside((queries) => searchIndex.prepare(queries))
  const runSlice = createRunner(options, { pace, searchIndex, cleanedAt: new Map(), sizes: new Map() })
  const schedule = createSchedule(createTick(client, runSlice, budgetMs), (error) =>
    log.error({ err: error }, 'upkeep failed'),
  )
  return {
    catchUp: async () => {
      const until = performance.now() + catchUpMs
      const longBudgetMs = Math.max(budgetMs, catchUpStatementMs)
      const occasion = { budgetMs: longBudgetMs, budgets: longBudgetMs / budgetMs, isIdle: true }
      try {
        while (performance.now() < until && (await runSlice(1, occasion)) !== null);
      } catch (error) {
        // Upkeep only improves speed: the service runs without it.
        schedule.pauseAfter(error)
      }
    },
    start: schedule.start,
    slice: () => runSlice(1, { budgetMs, budgets: 1, isIdle: false }),
    stop: schedule.stop,
  }
}
