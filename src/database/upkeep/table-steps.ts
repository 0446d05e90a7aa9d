import type { Queryable } from '../embedded/client.ts'
import type { Pace } from './pace.ts'

interface TableSizes {
  /** Of the table itself, without TOAST. */
  pages: number
  /** TOAST pages changed since the last VACUUM, which the next one must read. */
  longPagesNotVisible: number
  /** Including the TOAST index. */
  indexPages: number
}

/** Table statistics. Changed rows count from opening: PGlite does not store them. */
export interface TableState extends TableSizes {
  /** Quoted schema and name. */
  name: string
  /** As of the last VACUUM or ANALYZE; negative before the first. */
  rowsKnown: number
  pagesKnown: number
  pagesAllVisible: number
  dead: number
  insertedSinceVacuum: number
  changedSinceAnalyze: number
  /** Dead or dying row versions that indexes still point to, since opening. */
  removed: number
  vacuumed: boolean
}

/** Last read table sizes, by name; valid while their activity counts stay. */
export type KnownSizes = Map<string, TableSizes & { activity: string }>

/** Sizes come from the file system, ten times slower than all statistics together. */
async function readSizes(queries: Queryable, ids: readonly number[]): Promise<(TableSizes & { id: number })[]> {
  if (ids.length === 0) return []
  const { rows } = await queries.query<TableSizes & { id: number }>(`
    select class.oid::int as id, (pg_relation_size(class.oid) / 8192)::int as pages,
      ((pg_indexes_size(class.oid) + coalesce(pg_indexes_size(long.oid), 0)) / 8192)::int as "indexPages",
      coalesce(greatest(0, pg_relation_size(long.oid) / 8192 - long.relallvisible), 0)::int as "longPagesNotVisible"
    from pg_class as class left join pg_class as long on long.oid = class.reltoastrelid
    where class.oid in (${ids.join(', ')})`)
  return rows
}

/** The state of Wishwell's and the queue's tables. @param known earlier reads; changed sizes are read again */
export async function readTables(queries: Queryable, known: KnownSizes): Promise<TableState[]> {
  const { rows } = await queries.query<Omit<TableState, keyof TableSizes> & { id: number; activity: string }>(`
    select stats.relid::int as id, format('%I.%I', stats.schemaname, stats.relname) as name,
      class.reltuples::float8 as "rowsKnown", class.relpages as "pagesKnown", class.relallvisible as "pagesAllVisible",
      stats.n_dead_tup::int as dead, stats.n_ins_since_vacuum::int as "insertedSinceVacuum",
      stats.n_mod_since_analyze::int as "changedSinceAnalyze",
      (stats.n_tup_upd - stats.n_tup_hot_upd + stats.n_tup_del)::int as removed,
      stats.last_vacuum is not null as vacuumed,
      concat_ws(' ', stats.relid, n_tup_ins, n_tup_upd, n_tup_del, vacuum_count, analyze_count, relpages, relallvisible) as activity
    from pg_stat_user_tables as stats join pg_class as class on class.oid = stats.relid
    where class.relkind = 'r' and class.relpersistence = 'p'`)
  const active = rows.filter(({ name, activity }) => known.get(name)?.activity !== activity)
  const sizes = await readSizes(
    queries,
    active.map(({ id }) => id),
  )
  const sizeOf = new Map(sizes.map(({ id, ...size }) => [id, size]))
  return rows.flatMap(({ id, activity, ...state }) => {
    const size = sizeOf.get(id)
    if (size !== undefined) known.set(state.name, { ...size, activity })
    const read = known.get(state.name)
    if (read === undefined) return []
    const { activity: _asOf, ...current } = read
    return [{ ...state, ...current }]
  })
}

export interface Step {
  kind: 'vacuum' | 'prune' | 'analyze' | 'spill' | 'merge' | 'checkpoint'
  target: string
  /** Amount of work, in its kind's unit. */
  units: number
  /** Multiple of its threshold: the most overdue comes first. */
  urgency: number
  run(queries: Queryable): Promise<unknown>
}

/** Measured ms per unit on two busy cores: page read and pruned, index page, row sampled, text, MB of log. */
export const assumedRates = { vacuum: 0.02, prune: 0.02, analyze: 0.015, spill: 0.03, checkpoint: 0.5 }

const sampledRowsPerTarget = 300
const statisticsTargets = [100, 30, 10]

const share = (rows: number, part: number, min: number, max: number) => Math.min(Math.max(rows * part, min), max)

/** The first way that fits, thorough before cheap, else null. */
const firstFitting = (steps: readonly Step[], pace: Pace, budgetMs: number) =>
  steps.find((step) => pace.predict(step.kind, step.units) <= budgetMs) ?? null

export interface Circumstances {
  pace: Pace
  budgetMs: number
  removedBefore: number
  /** Removed rows after which the indexes are cleaned at the latest. */
  maxRemoved: number
  cleanable: boolean
  /** Forces cleaning: VACUUM skips indexes while less than 2 % of the pages have dead rows. */
  thorough: boolean
}

/** A table's due work: `steps` fit into `budgetMs`, `tooLong` do not. */
export function stepsOfTable(table: TableState, circumstances: Circumstances): { steps: Step[]; tooLong: Step[] } {
  const { pace, budgetMs } = circumstances
  const due = [vacuumOf(table, circumstances), analyzeOf(table)]
  const steps: Step[] = []
  const tooLong: Step[] = []
  for (const ways of due) {
    if (ways.length === 0) continue
    const step = firstFitting(ways, pace, budgetMs)
    if (step) steps.push(step)
    if (step?.kind !== ways[0]?.kind) tooLong.push(ways[0]!)
  }
  return { steps, tooLong }
}

/** VACUUM often: it costs per changed page. Without `thorough`, four bytes per dead row remain. */
function vacuumOf(table: TableState, { removedBefore, maxRemoved, cleanable, thorough }: Circumstances): Step[] {
  const rows = Math.max(table.rowsKnown, 0)
  const { name, pages, dead, insertedSinceVacuum: inserted } = table
  const notVisible = Math.max(0, pages - table.pagesAllVisible)
  const removed = table.removed - removedBefore
  const urgency = Math.max(
    dead / share(rows, 0.05, 200, 5_000),
    inserted / share(rows, 0.2, 1_000, 20_000),
    // Cleaned less often than pruned: cleaning reads whole indexes.
    removed / Math.min(share(rows, 0.1, 500, 50_000), maxRemoved),
    // Postgres loses its dead row counts when the process ends; page visibility stays.
    table.vacuumed ? 0 : notVisible / share(table.pagesKnown, 0.1, 50, 1_000),
  )
  if (urgency < 1) return []
  const touched = Math.min(pages, dead + inserted + notVisible) + table.longPagesNotVisible
  const vacuum: Step = {
    kind: 'vacuum',
    target: name,
    urgency,
    units: touched + table.indexPages,
    run: (queries) => queries.query(`vacuum ${thorough ? '(index_cleanup on) ' : ''}${name}`),
  }
  const prune: Step = {
    kind: 'prune',
    target: name,
    urgency,
    units: touched,
    run: (queries) => queries.query(`vacuum (index_cleanup off, truncate off) ${name}`),
  }
  // Nothing to prune if only the indexes are overdue.
  const prunable = dead >= 100 || inserted >= 1_000 || !table.vacuumed
  return [...(cleanable ? [vacuum] : []), ...(prunable ? [prune] : [])]
}

/** ANALYZE after a table changed or grew by a fifth, with the largest sample that fits. */
function analyzeOf(table: TableState): Step[] {
  const { name, pages, pagesKnown, rowsKnown } = table
  const urgency = Math.max(
    table.changedSinceAnalyze / share(Math.max(rowsKnown, 0), 0.2, 200, Number.POSITIVE_INFINITY),
    pages / (pagesKnown * 1.5 + 20),
  )
  if (urgency < 1) return []
  const rows = Math.max(rowsKnown, 0) + table.changedSinceAnalyze
  return statisticsTargets.map((target) => ({
    kind: 'analyze',
    target: name,
    urgency,
    units: Math.min(rows, sampledRowsPerTarget * target),
    run: async (queries: Queryable) => {
      await queries.query(`set default_statistics_target = ${target}`)
      await queries.query(`analyze ${name}`)
    },
  }))
}
