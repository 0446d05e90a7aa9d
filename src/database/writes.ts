import { type Kysely, sql } from 'kysely'
import type { Tables } from './tables.ts'

/** SQLSTATEs of a database that reads but takes no writes: its disk is full (53100) or fails (58030), or it is a standby (25006). */
const refusals = new Set(['53100', '58030', '25006'])

/** What is known of whether writes are taken. */
export interface Writes {
  /** To be told of each statement that failed. */
  failed(error: unknown): void
  /** Whether the database takes writes. Tries one only when the last that is known of was refused. */
  areTaken(database: Kysely<Tables>): Promise<boolean>
}

/** A probe costs writes, and whoever asks may ask often. */
const probeEveryMs = 1_000

/**
 * Some 400 kB, which need room on the disk. Of a temporary table only the names are logged: a log that finds no room for
 * its next file ends the database.
 */
const probe = (database: Kysely<Tables>) =>
  database.transaction().execute((transaction) =>
    sql`create temporary table wishwell_write_probe on commit drop as
      select repeat(md5(n::text), 25) as filling from generate_series(1, 500) as n`.execute(transaction),
  )

export function watchWrites(): Writes {
  let refused = false
  let probedAt = Number.NEGATIVE_INFINITY
  let underWay: Promise<void> | null = null
  const look = async (database: Kysely<Tables>) => {
    probedAt = performance.now()
    try {
      await probe(database)
      refused = false
    } catch {
      // It is still refused, or the database is away, which others find out.
    } finally {
      underWay = null
    }
  }
  return {
    failed: (error) => {
      if (refusals.has((error as { code?: string }).code ?? '')) refused = true
    },
    areTaken: async (database) => {
      if (refused && underWay === null && performance.now() - probedAt >= probeEveryMs) underWay = look(database)
      if (underWay !== null) await underWay
      return !refused
    },
  }
}
