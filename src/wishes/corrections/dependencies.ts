import type { Authentication } from '../../accounts/authentication.ts'
import type { Database } from '../../database/open.ts'
import type { Idempotent } from '../../http/idempotency/idempotency.ts'
import type { Clock } from '../../runtime/clock.ts'

/** What the routes of corrections and marks of wishes need. */
export interface WishCorrectionDependencies {
  database: Database
  clock: Clock
  authentication: Authentication
  idempotent: Idempotent
}
