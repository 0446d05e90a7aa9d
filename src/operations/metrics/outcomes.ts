import { ServiceError } from '../../http/errors.ts'
import { PlannedWaitError, PlatformError } from '../../platforms/platform.ts'

/** Why something failed, as a code of a closed set: never a message, which may hold an address. */
export function outcomeOf(error: unknown): string {
  if (error instanceof PlannedWaitError) return 'waiting'
  if (error instanceof PlatformError || error instanceof ServiceError) return error.code
  return 'other'
}
