import type { Migration } from 'kysely/migration'
import * as baseline from './2026-12-11-baseline.ts'

/**
 * In the order in which they run, each named by its date: the last is the schema version. Only ever appended to: a released migration is
 * never edited, nor taken back.
 */
export const migrations: Readonly<Record<string, Migration>> = { '2026-12-11-baseline': baseline }
