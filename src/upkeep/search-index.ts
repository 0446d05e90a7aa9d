import type { Queryable } from '../database/embedded/client.ts'
import type { Pace } from './pace.ts'
import type { Step } from './table-steps.ts'
import type { TableState } from './tables.ts'

// The BM25 index is a log-structured merge tree: what is written lands in a memtable, 64 pages of that become a segment, and
// (by default eight) segments of a level are merged into one of the next. By default the insert that fills the eighth one merges, and its caller
// waits: 190 to 450 ms were measured. With `compaction = manual` only upkeep merges.
//
// A search reads the memtable whole, up to 2.3 ms when it is full, or (by default) a copy of it in memory that is made anew
// after each insert. Of those copies something is left each time (1.5.1: 7 kB for each text that was stored between searches,
// until the WebAssembly had no memory after 400,000 texts), so they are turned off, and upkeep empties the memtable when it may.

const index = 'request_texts_bm25'
/** Its table, whose indexes are cleaned only while `canBeCleaned`. */
export const indexedTable = 'request_texts'

/** Segments of a level that are merged into one. */
const segmentsPerLevel = 4
/** With so many on a level it is worth a start's time to make large ones of them. */
const worthAStart = 8
/** More of a level than this the extension does not merge at a time. */
const maxConcurrent = 64
/** With fewer in the memtable nobody feels it. */
const spilledTexts = 150
/** Never pressing: when callers store without end, a spill of theirs makes a larger segment. */
const maxSpillUrgency = 1.5
/** What fits four segments as the memtable makes them: below that nothing would be merged any more. */
const smallestCapMb = 5
const largestCapMb = 64
/** In a merge for which there is more time than usual: WebAssembly has 4 GB at most, and a merge takes some of it. */
const largestCapEverMb = 512
/** A segment of so many megabytes is what merges make at most, until it is learned what there is time for. */
const assumedCapMb = 8

export interface SearchIndexUpkeep {
  /** Takes the merging out of the inserts, and the memtable out of the memory. @returns whether there is such an index. */
  prepare(queries: Queryable): Promise<boolean>
  /** The emptying of the memtable into a segment, if it is due. */
  spillDue(queries: Queryable): Promise<Step | null>
  /**
   * A merge, if one is due.
   * @param eager merges as soon as two segments can be: while nobody waits, and when small ones keep the index from being cleaned.
   * @param budgets how many times as long as usual it may take.
   */
  mergeDue(queries: Queryable, eager: boolean, budgets: number): Promise<Step | null>
  /** To be told how long a merge took, as a share of what it might: the cap of segments follows, so that the next one fits. */
  merged(share: number): void
  /**
   * Whether VACUUM may look at the index. It marks dead texts in their segments, milliseconds, unless a whole segment has died:
   * then it writes all segments anew, 10 to 20 us a text. So it may if that would fit, or if fewer texts died than any segment
   * has left.
   * @param died how many rows of the table were removed since then, as far as it is known.
   */
  canBeCleaned(queries: Queryable, table: TableState, died: number, limits: Limits): Promise<boolean>
  /** To be told how long VACUUM took. @returns whether it took so long that it must have written segments anew. */
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

export function createSearchIndexUpkeep(): SearchIndexUpkeep {
  let exists = false
  let capMb = assumedCapMb
  /** The levels as they were when a merge found nothing to do: segments at the cap stay as they are. */
  let settled = ''
  let texts = 0

  const capOf = (budgets: number) => Math.min(Math.round(capMb * budgets), Math.max(capMb, largestCapEverMb))
  const merge = async (queries: Queryable, least: number, budgets: number, levels: string) => {
    await queries.query(`set pg_textsearch.max_segment_size = '${capOf(budgets)}MB'`)
    await queries.query(`set pg_textsearch.segments_per_level = ${least}`)
    const { rows } = await queries.query<{ merged: boolean }>(`select bm25_compact_step('${index}') as merged`)
    if (rows[0]?.merged === true) return
    // A cap that is too small for any merge would never be learned to be so.
    if (capMb < assumedCapMb) capMb++
    else settled = levels
  }
  return {
    prepare: async (queries) => {
      const { rows } = await queries.query<{ exists: boolean }>(`select to_regclass('${index}') is not null as exists`)
      exists = rows[0]?.exists === true
      if (!exists) return false
      await queries.query(`alter index ${index} set (compaction = 'manual')`)
      await queries.query('set pg_textsearch.memtable_cache_enabled = off')
      return true
    },
    spillDue: async (queries) => {
      if (!exists) return null
      const { rows } = await queries.query<{ texts: number }>(
        `select coalesce(sum(n_records), 0)::integer as texts from bm25_memtable_chain('${index}')`,
      )
      const units = rows[0]?.texts ?? 0
      const urgency = Math.min(units / spilledTexts, maxSpillUrgency)
      const run = (inside: Queryable) => inside.query(`select bm25_spill_index('${index}')`)
      return urgency < 1 ? null : { kind: 'spill', target: index, units, urgency, run }
    },
    mergeDue: async (queries, eager, budgets) => {
      if (!exists) return null
      const { rows } = await queries.query<{ levels: number[]; megabytes: number }>(`
        select bm25_level_counts('${index}') as levels, pg_relation_size('${index}') / 1048576.0::float8 as megabytes`)
      const { levels: counts, megabytes } = rows[0] ?? { levels: [], megabytes: 0 }
      const most = Math.max(...counts)
      const averageMb = megabytes / counts.reduce((sum, count) => sum + count, 0)
      // What a merge makes stays on its level: made of a few at a time, all of it would be written again with each of them.
      const atOnce = Math.max(2, Math.min(most, maxConcurrent, Math.floor(capOf(budgets) / averageMb)))
      const least = budgets > 1 && most >= worthAStart ? atOnce : eager ? 2 : segmentsPerLevel
      const levels = `${least}, ${budgets}: ${counts.join()}`
      const urgency = most / least
      if (urgency < 1 || levels === settled) return null
      // Its length is bounded by the cap, so it is always one unit.
      return { kind: 'merge', target: index, units: 1, urgency, run: (inside) => merge(inside, least, budgets, levels) }
    },
    merged: (share) => {
      if (share > 1) capMb = Math.max(smallestCapMb, Math.floor(capMb / 2))
      else if (share > 1 / 4 && share < 1 / 2) capMb = Math.min(largestCapMb, capMb + 1)
    },
    canBeCleaned: async (queries, table, died, { pace, budgetMs }) => {
      if (!exists) return true
      const { rows } = await queries.query<{ summary: string }>(`select bm25_summarize_index('${index}') as summary`)
      const segments = parseSegments(rows[0]?.summary ?? '')
      texts = segments.reduce((sum, segment) => sum + segment.texts, 0)
      if (pace.predict('rewrite', texts) <= budgetMs) return true
      const fewest = Math.min(...segments.map((segment) => segment.texts))
      // What died before the database was opened is known only by what the index has too much.
      const before = table.vacuumed ? 0 : Math.max(0, texts - table.rowsKnown)
      return died + before < fewest
    },
    // Quicker than that, it only marked.
    cleaned: (tookMs, pace) => {
      const isRewrite = tookMs > pace.predict('rewrite', texts) / 2
      if (isRewrite) pace.learn('rewrite', texts, tookMs)
      return isRewrite
    },
  }
}
