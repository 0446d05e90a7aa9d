import type { Authentication } from '../../accounts/authentication.ts'
import type { Database } from '../../database/open.ts'
import type { Clock } from '../../runtime/clock.ts'

/** What the routes of corrections need. */
export interface CorrectionDependencies {
  database: Database
  clock: Clock
  authentication: Authentication
}
