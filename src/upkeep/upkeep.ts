import type { Logger } from 'pino'
import type { EmbeddedClient, Queryable } from '../database/embedded/client.ts'
import { createPace, type Pace } from './pace.ts'
import { createSearchIndexUpkeep, indexedTable, type SearchIndexUpkeep } from './search-index.ts'
import { assumedRates, type Step, stepsOfTable } from './table-steps.ts'
import { readTables } from './tables.ts'

/** A statement of upkeep that ran. */
export interface Slice {
  kind: Step['kind']
  target: string
  tookMs: number
}

export interface Upkeep {
  /** Does what is due and would take too long once somebody may wait. For the start of a service, before it listens. */
  catchUp(): Promise<void>
  /** Works from now on whenever nobody uses the database. */
  start(): void
  /** Does the most urgent thing that is due and short enough, whether or not anybody waits; null when there is nothing. */
  slice(): Promise<Slice | null>
  /** Ends it, and waits for a slice under way. */
  stop(): Promise<void>
}

export interface UpkeepOptions {
  client: EmbeddedClient
  log: Logger
  /** What a statement may be expected to take, in ms: well below the 250 that a caller may be held, as it is only a prediction. */
  budgetMs?: number
  /** Told of each slice, for measurements. */
  onSlice?: (slice: Slice) => void
}

const defaultBudgetMs = 120
/** How often it is looked whether something is due. */
const tickMs = 500
/** Nobody has used the database for so long: nobody is expected this moment. */
const idleEnoughMs = 250
/** On a database that is never idle, what is this overdue is done in between callers. */
const pressing = 2
/** After a slice between callers, callers have the database for so many times as long. */
const cooldownFactor = 4
const checkpointMb = 32
/** So few texts may die before the search index is cleaned: while they are fewer than any segment has, cleaning is short. */
const maxRemovedTexts = 250
/** At the start, what one statement may take and what all of them may. */
const catchUpStatementMs = 5_000
const catchUpMs = 45_000
const cooldownAfterFailureMs = 60_000
/** So often it is looked whether something is due though nobody has used the database. */
const maxPollPauseMs = 10 * 60_000

const isIndexed = (table: string) => table.endsWith(`.${indexedTable}`)

interface Pass {
  pace: Pace
  searchIndex: SearchIndexUpkeep
  /** What `TableState.removed` was when the indexes of a table were last cleaned. */
  cleanedAt: Map<string, number>
}

/** PGlite never checkpoints by itself: without it the log grows for ever, and a crash replays all of it. */
async function checkpointDue(queries: Queryable): Promise<Step[]> {
  const { rows } = await queries.query<{ megabytes: number }>(`
    select ((pg_current_wal_insert_lsn() - checkpoint_lsn) / 1048576)::float8 as megabytes from pg_control_checkpoint()`)
  const megabytes = rows[0]?.megabytes ?? 0
  const step: Step = {
    ...{ kind: 'checkpoint', target: 'log', units: megabytes, urgency: megabytes / checkpointMb },
    run: (inside) => inside.query('checkpoint'),
  }
  return step.urgency < 1 ? [] : [step]
}

interface Occasion {
  /** What a statement may take. */
  budgetMs: number
  /** The same as a multiple of what one may usually take. */
  budgets: number
  /** Whether nobody uses the database. */
  isIdle: boolean
}

/** Everything that is due, the most urgent first, and what would be but is too long. */
async function stepsDue(
  queries: Queryable,
  { pace, searchIndex, cleanedAt }: Pass,
  { budgetMs, budgets, isIdle }: Occasion,
) {
  const steps = await checkpointDue(queries)
  const tooLong: Step[] = []
  let eager = isIdle
  for (const table of await readTables(queries)) {
    const removedBefore = cleanedAt.get(table.name) ?? 0
    const indexed = isIndexed(table.name)
    const died = table.removed - removedBefore
    const maxRemoved = indexed ? maxRemovedTexts : Number.POSITIVE_INFINITY
    const circumstances = { pace, budgetMs, removedBefore, maxRemoved, thorough: indexed }
    let due = stepsOfTable(table, { ...circumstances, cleanable: true })
    // It reads the heads of all segments: only when its answer matters.
    const asked = indexed && [...due.steps, ...due.tooLong].some(({ kind }) => kind === 'vacuum')
    if (asked && !(await searchIndex.canBeCleaned(queries, table, died, { pace, budgetMs }))) {
      due = stepsOfTable(table, { ...circumstances, cleanable: false })
      if (died >= maxRemovedTexts) eager = true
    }
    tooLong.push(...due.tooLong)
    for (const step of due.steps) {
      const run = async (inside: Queryable) => {
        await step.run(inside)
        if (step.kind === 'vacuum') cleanedAt.set(table.name, table.removed)
      }
      steps.push({ ...step, run })
    }
  }
  for (const step of [await searchIndex.spillDue(queries), await searchIndex.mergeDue(queries, eager, budgets)]) {
    if (step) steps.push(step)
  }
  return { steps: steps.sort((one, other) => other.urgency - one.urgency), tooLong }
}

/**
 * Keeps the embedded database small and quick while it runs: VACUUM, ANALYZE, checkpoints and the merges of the search index,
 * one short statement after the other, while nobody uses the database.
 */
export async function createUpkeep({
  client,
  log,
  budgetMs = defaultBudgetMs,
  onSlice,
}: UpkeepOptions): Promise<Upkeep> {
  const pace = createPace({ ...assumedRates, rewrite: 0.02 })
  const searchIndex = createSearchIndexUpkeep()
  const pass: Pass = { pace, searchIndex, cleanedAt: new Map() }
  const saidTooLong = new Set<string>()
  await client.aside((queries) => searchIndex.prepare(queries))

  const run = async (queries: Queryable, step: Step, { budgetMs: mayTakeMs }: Occasion): Promise<Slice> => {
    const startedAt = performance.now()
    await step.run(queries)
    const tookMs = performance.now() - startedAt
    if (step.kind === 'merge') searchIndex.merged(tookMs / mayTakeMs)
    else if (!(step.kind === 'vacuum' && isIndexed(step.target) && searchIndex.cleaned(tookMs, pace))) {
      pace.learn(step.kind, step.units, tookMs)
    }
    const slice = { kind: step.kind, target: step.target, tookMs }
    log.debug({ ...slice, units: step.units }, 'upkeep')
    onSlice?.(slice)
    return slice
  }
  const sayTooLong = ({ kind, target, units }: Step) => {
    pace.doubt(kind)
    if (saidTooLong.has(`${kind} ${target}`)) return
    saidTooLong.add(`${kind} ${target}`)
    log.info(
      { kind, target, expectedMs: Math.round(pace.predict(kind, units)) },
      'upkeep left undone: it would take too long',
    )
  }
  /** @param least the urgency that it must have at least. */
  const sliceOf = async (least: number, occasion: Occasion = { budgetMs, budgets: 1, isIdle: false }) => {
    // It looks between the statements of others; only what it does keeps them out.
    const { steps, tooLong } = await stepsDue(client.uncounted, pass, occasion)
    for (const step of tooLong) sayTooLong(step)
    const [step] = steps.filter(({ urgency }) => urgency >= least)
    return step ? client.aside((queries) => run(queries, step, occasion)) : null
  }

  let stopped = false
  let cooldownUntil = 0
  let failedUntil = 0
  let nothingDueAt = Number.NEGATIVE_INFINITY
  let underWay: Promise<unknown> = Promise.resolve()
  let timer: NodeJS.Timeout
  const tick = async () => {
    if (performance.now() < failedUntil) return
    const idle = client.idleMs() >= idleEnoughMs
    if (!idle && performance.now() < cooldownUntil) return
    // Nobody has used it since there was nothing to do.
    const nothingSince = performance.now() - client.idleMs() < nothingDueAt
    // The queue's own rows change, too, and that is nobody's use.
    if (nothingSince && performance.now() - nothingDueAt < maxPollPauseMs) return
    const slice = await sliceOf(idle ? 1 : pressing, { budgetMs, budgets: 1, isIdle: idle })
    if (slice === null && idle) nothingDueAt = performance.now()
    cooldownUntil = performance.now() + (slice?.tookMs ?? tickMs) * cooldownFactor
    if (slice && client.idleMs() > 0) again(1)
  }
  const failed = (error: unknown) => {
    failedUntil = performance.now() + cooldownAfterFailureMs
    log.error({ err: error }, 'upkeep failed')
  }
  const again = (inMs: number) => {
    clearTimeout(timer)
    if (stopped) return
    timer = setTimeout(() => {
      again(tickMs)
      underWay = underWay.then(tick).catch(failed)
    }, inMs).unref()
  }
  return {
    catchUp: async () => {
      const until = performance.now() + catchUpMs
      const longBudgetMs = Math.max(budgetMs, catchUpStatementMs)
      const occasion = { budgetMs: longBudgetMs, budgets: longBudgetMs / budgetMs, isIdle: true }
      try {
        while (performance.now() < until && (await sliceOf(1, occasion)) !== null);
      } catch (error) {
        // It only makes things quicker: without it the service runs all the same.
        failed(error)
      }
    },
    start: () => again(tickMs),
    slice: () => sliceOf(1),
    stop: async () => {
      stopped = true
      clearTimeout(timer)
      await underWay
    },
  }
}
