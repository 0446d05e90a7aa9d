import type { Queryable } from '../embedded/client.ts'
import type { Pace } from './pace.ts'
import type { Step, TableState } from './table-steps.ts'

// The BM25 index is an LSM tree: 64 memtable pages become a segment, eight segments of a level merge into one, by
// default in an insert while its caller waits (190 to 450 ms). With `compaction = manual` only upkeep merges.
// A search reads the memtable (2.3 ms if full), or by default a copy remade after each insert. Copies leak (1.5.1: 7 kB
// per text stored between searches), so they are off, and upkeep empties the memtable.

const index = 'request_texts_bm25'
/** Its table; `canBeCleaned` decides whether its indexes are cleaned. */
export const indexedTable = 'request_texts'

/** Segments of a level that merge into one. */
const segmentsPerLevel = 4
/** From this many on a level, a start takes the time to merge them. */
const worthAStart = 8
/** Maximum segments of a level the extension merges at a time. */
const maxConcurrent = 64
/** With fewer texts, the memtable's cost is not noticeable. */
const spilledTexts = 150
/** Below work done between callers: while callers store, their own spills make larger segments. */
const maxSpillUrgency = 1.5
/** Four memtable segments: with a smaller cap nothing would merge anymore. */
const minCapMb = 5
const maxCapMb = 32
/** Cap of longer merges, or a quarter of an index if that is more. WebAssembly keeps a merge's memory. */
const maxLongMergeCapMb = 32
/** Segment cap until merge durations are known. */
const assumedCapMb = 8

export interface SearchIndexUpkeep {
  /** Moves merging out of inserts, and the memtable out of memory. @returns whether the index exists */
  prepare(queries: Queryable): Promise<boolean>
  /** Empties the memtable into a segment, if due. */
  spillDue(queries: Queryable): Promise<Step | null>
  /**
   * @param eager merges any two segments: if idle, or if small ones block cleaning
   * @param budgets multiplies the usual time
   */
  mergeDue(queries: Queryable, eager: boolean, budgets: number): Promise<Step | null>
  /** Takes a merge's duration as a share of its budget and adapts the segment cap. */
  merged(share: number): void
  /**
   * Whether VACUUM may clean the index. With a wholly dead segment it rewrites all segments, 10 to 20 us a text:
   * allowed if that fits, or fewer texts died than any segment holds.
   * @param died rows removed since the last cleaning, if known
   */
  canBeCleaned(queries: Queryable, table: TableState, died: number, limits: Limits): Promise<boolean>
  /** Takes a VACUUM's duration. @returns whether it was long enough to have rewritten segments */
  cleaned(tookMs: number, pace: Pace): boolean
}

interface Segment {
  texts: number
}

interface Limits {
  pace: Pace
  budgetMs: number
}

/** `L1 Segment 2: block=35996, pages=410, size=3.2MB, terms=29397, docs=10073 (alive=8638, dead=1435)` */
const segmentLine = /^\s*L\d+ Segment \d+:.*\bdocs=(\d+)(?: \(alive=(\d+))?/

export const parseSegments = (summary: string): Segment[] =>
  summary.split('\n').flatMap((line) => {
    const [, texts, alive] = segmentLine.exec(line) ?? []
    return texts === undefined ? [] : [{ texts: Number(alive ?? texts) }]
  })

/** Maximum size of merged segments, adapted to merge durations. */
function createSegmentCap() {
  let megabytes = assumedCapMb
  return {
    of: (budgets: number, indexMb: number): number =>
      Math.min(Math.round(megabytes * budgets), Math.max(megabytes, maxLongMergeCapMb, Math.round(indexMb / 4))),
    learn: (share: number): void => {
      if (share > 1) megabytes = Math.max(minCapMb, Math.floor(megabytes / 2))
      else if (share > 1 / 4 && share < 1 / 2) megabytes = Math.min(maxCapMb, megabytes + 1)
    },
    /** Call after a merge without effect. @returns false if the cap is not the reason */
    grow: (): boolean => {
      if (megabytes >= assumedCapMb) return false
      megabytes++
      return true
    },
  }
}

type SegmentCap = ReturnType<typeof createSegmentCap>

async function readLevels(queries: Queryable): Promise<{ counts: number[]; averageMb: number; indexMb: number }> {
  const { rows } = await queries.query<{ levels: number[]; megabytes: number }>(`
    select bm25_level_counts('${index}') as levels, pg_relation_size('${index}') / 1048576.0::float8 as megabytes`)
  const { levels: counts, megabytes } = rows[0] ?? { levels: [], megabytes: 0 }
  return { counts, averageMb: megabytes / counts.reduce((sum, count) => sum + count, 0), indexMb: megabytes }
}

function createMerges(cap: SegmentCap) {
  /** Levels when a merge had no effect: segments at the cap stay unchanged. */
  let settled = ''
  const merge = async (queries: Queryable, minSegments: number, capMb: number, levels: string) => {
    await queries.query(`set pg_textsearch.max_segment_size = '${capMb}MB'`)
    await queries.query(`set pg_textsearch.segments_per_level = ${minSegments}`)
    const { rows } = await queries.query<{ merged: boolean }>(`select bm25_compact_step('${index}') as merged`)
    if (rows[0]?.merged === true) return
    // A cap too small for any merge would never learn to grow.
    if (!cap.grow()) settled = levels
  }
  return async (queries: Queryable, eager: boolean, budgets: number): Promise<Step | null> => {
    const { counts, averageMb, indexMb } = await readLevels(queries)
    const capMb = cap.of(budgets, indexMb)
    const maxCount = Math.max(...counts)
    // The merged segment stays on its level: merging few at a time would rewrite it each time.
    const atOnce = Math.max(2, Math.min(maxCount, maxConcurrent, Math.floor(capMb / averageMb)))
    const minSegments = budgets > 1 && maxCount >= worthAStart ? atOnce : eager ? 2 : segmentsPerLevel
    const levels = `${minSegments}, ${budgets}: ${counts.join()}`
    const urgency = maxCount / minSegments
    if (urgency < 1 || levels === settled) return null
    const run = (inside: Queryable) => merge(inside, minSegments, capMb, levels)
    // Always one unit, because the cap bounds its duration.
    return { kind: 'merge', target: index, units: 1, urgency, run }
  }
}

async function spillDue(queries: Queryable): Promise<Step | null> {
  const { rows } = await queries.query<{ texts: number }>(
    `select coalesce(sum(n_records), 0)::integer as texts from bm25_memtable_chain('${index}')`,
  )
  const units = rows[0]?.texts ?? 0
  const urgency = Math.min(units / spilledTexts, maxSpillUrgency)
  const run = (inside: Queryable) => inside.query(`select bm25_spill_index('${index}')`)
  return urgency < 1 ? null : { kind: 'spill', target: index, units, urgency, run }
}

async function readSegments(queries: Queryable): Promise<Segment[]> {
  const { rows } = await queries.query<{ summary: string }>(`select bm25_summarize_index('${index}') as summary`)
  return parseSegments(rows[0]?.summary ?? '')
}

async function prepareIndex(queries: Queryable): Promise<boolean> {
  const { rows } = await queries.query<{ exists: boolean }>(`select to_regclass('${index}') is not null as exists`)
  if (rows[0]?.exists !== true) return false
  await queries.query(`alter index ${index} set (compaction = 'manual')`)
  await queries.query('set pg_textsearch.memtable_cache_enabled = off')
  return true
}

export function createSearchIndexUpkeep(): SearchIndexUpkeep {
  let exists = false
  let texts = 0
  const cap = createSegmentCap()
  const mergeDue = createMerges(cap)
  return {
    prepare: async (queries) => {
      exists = await prepareIndex(queries)
      return exists
    },
    spillDue: async (queries) => (exists ? spillDue(queries) : null),
    mergeDue: async (queries, eager, budgets) => (exists ? mergeDue(queries, eager, budgets) : null),
    merged: cap.learn,
    canBeCleaned: async (queries, table, died, { pace, budgetMs }) => {
      if (!exists) return true
      const segments = await readSegments(queries)
      texts = segments.reduce((sum, segment) => sum + segment.texts, 0)
      if (pace.predict('rewrite', texts) <= budgetMs) return true
      const minTexts = Math.min(...segments.map((segment) => segment.texts))
      // Rows that died before opening show only as excess texts in the index.
      const before = table.vacuumed ? 0 : Math.max(0, texts - table.rowsKnown)
      return died + before < minTexts
    },
    // A VACUUM that only marks dead texts is faster.
    cleaned: (tookMs, pace) => {
      const isRewrite = tookMs > pace.predict('rewrite', texts) / 2
      if (isRewrite) pace.learn('rewrite', texts, tookMs)
      return isRewrite
    },
  }
}
