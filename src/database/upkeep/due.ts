import type { Queryable } from '../embedded/client.ts'
import type { Pace } from './pace.ts'
import { indexedTable, type SearchIndexUpkeep } from './search-index.ts'
import { type KnownSizes, readTables, type Step, stepsOfTable, type TableState } from './table-steps.ts'

const checkpointMb = 32
/** Clean the search index at up to this many dead texts: fewer than any segment has, so cleaning is short. */
const maxRemovedTexts = 250

export const isIndexed = (table: string): boolean => table.endsWith(`.${indexedTable}`)

export interface UpkeepState {
  pace: Pace
  searchIndex: SearchIndexUpkeep
  cleanedAt: Map<string, number>
  sizes: KnownSizes
}

export interface Occasion {
  budgetMs: number
  /** The same as a multiple of the usual budget. */
  budgets: number
  isIdle: boolean
}

export interface DueSteps {
  steps: Step[]
  tooLong: Step[]
}

/** PGlite makes no checkpoints itself: the log would grow forever, and a crash would replay all of it. */
async function checkpointDue(queries: Queryable): Promise<Step[]> {
  const { rows } = await queries.query<{ megabytes: number }>(`
    select ((pg_current_wal_insert_lsn() - checkpoint_lsn) / 1048576)::float8 as megabytes from pg_control_checkpoint()`)
  const megabytes = rows[0]?.megabytes ?? 0
  const step: Step = {
    kind: 'checkpoint',
    target: 'log',
    units: megabytes,
    urgency: megabytes / checkpointMb,
    run: (inside) => inside.query('checkpoint'),
  }
  return step.urgency < 1 ? [] : [step]
}

/** @returns work due on one table, and whether too many dead texts wait for smaller segments */
async function tableDue(
  queries: Queryable,
  table: TableState,
  { pace, searchIndex, cleanedAt }: UpkeepState,
  budgetMs: number,
): Promise<DueSteps & { needsMerge: boolean }> {
  const removedBefore = cleanedAt.get(table.name) ?? 0
  const indexed = isIndexed(table.name)
  const died = table.removed - removedBefore
  const maxRemoved = indexed ? maxRemovedTexts : Number.POSITIVE_INFINITY
  const circumstances = { pace, budgetMs, removedBefore, maxRemoved, thorough: indexed }
  const due = stepsOfTable(table, { ...circumstances, cleanable: true })
  // The check reads all segments' heads, so only if its result matters.
  const isVacuumDue = [...due.steps, ...due.tooLong].some(({ kind }) => kind === 'vacuum')
  const isCleanable =
    !indexed || !isVacuumDue || (await searchIndex.canBeCleaned(queries, table, died, { pace, budgetMs }))
  const { steps, tooLong } = isCleanable ? due : stepsOfTable(table, { ...circumstances, cleanable: false })
  const recorded = steps.map((step): Step => {
    const run = async (inside: Queryable) => {
      await step.run(inside)
      if (step.kind === 'vacuum') cleanedAt.set(table.name, table.removed)
    }
    return { ...step, run }
  })
  return { steps: recorded, tooLong, needsMerge: !isCleanable && died >= maxRemovedTexts }
}

/** All steps due now. */
export async function stepsDue(queries: Queryable, state: UpkeepState, occasion: Occasion): Promise<DueSteps> {
  const steps = await checkpointDue(queries)
  const tooLong: Step[] = []
  let eager = occasion.isIdle
  for (const table of await readTables(queries, state.sizes)) {
    const due = await tableDue(queries, table, state, occasion.budgetMs)
    steps.push(...due.steps)
    tooLong.push(...due.tooLong)
    if (due.needsMerge) eager = true
  }
  const { searchIndex } = state
  const ofIndex = [await searchIndex.spillDue(queries), await searchIndex.mergeDue(queries, eager, occasion.budgets)]
  steps.push(...ofIndex.filter((step) => step !== null))
  return { steps: steps.sort((one, other) => other.urgency - one.urgency), tooLong }
}
