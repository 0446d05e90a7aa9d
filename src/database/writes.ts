import { type Kysely, sql } from 'kysely'
import type { Tables } from './tables.ts'

/** SQLSTATEs of a read-only database: disk full (53100) or failing (58030), or a standby (25006). */
const refusals = new Set(['53100', '58030', '25006'])

/** Awaits a write that accompanies a read, which must work on a read-only database. @returns undefined if refused */
export async function recordIfWritable<T>(write: Promise<T>): Promise<T | undefined> {
  try {
    return await write
  } catch (error) {
    if (refusals.has((error as { code?: string }).code ?? '')) return undefined
    throw error
  }
}

/** Whether the database takes writes, judged by failed statements. */
export interface Writes {
  /** Call for each failed statement. */
  failed(error: unknown): void
  /** Probes with a write only after a refused one. */
  areTaken(database: Kysely<Tables>): Promise<boolean>
}

/** Limits probes: they write, and readiness checks may be frequent. */
const probeEveryMs = 1_000

/** Needs 400 kB of disk. A temporary table logs only catalog rows: a full log would end the database. */
const probe = (database: Kysely<Tables>) =>
  database.transaction().execute((transaction) =>
    sql`create temporary table wishwell_write_probe on commit drop as
      select repeat(md5(n::text), 25) as filling from generate_series(1, 500) as n`.execute(transaction),
  )

export function watchWrites(): Writes {
  let refused = false
  let probedAt = Number.NEGATIVE_INFINITY
  let underWay: Promise<void> | null = null
  const tryWrite = async (database: Kysely<Tables>) => {
    probedAt = performance.now()
    try {
      await probe(database)
      refused = false
    } catch {
      // Still refused; or unreachable, which other statements report.
    } finally {
      underWay = null
    }
  }
  return {
    failed: (error) => {
      if (refusals.has((error as { code?: string }).code ?? '')) refused = true
    },
    areTaken: async (database) => {
      if (refused && underWay === null && performance.now() - probedAt >= probeEveryMs) underWay = tryWrite(database)
      if (underWay !== null) await underWay
      return !refused
    },
  }
}
