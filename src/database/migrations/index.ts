import type { Migration } from 'kysely/migration'
import * as baseline from './2026-12-11-baseline.ts'

/** In run order, named by date; the last is the schema version. Never edit or revert a released migration. */
export const migrations: Readonly<Record<string, Migration>> = { '2026-12-11-baseline': baseline }
