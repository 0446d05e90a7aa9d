import type { Logger } from 'pino'
import { exitCodes } from './exit-codes.ts'
import { firstLine } from './text.ts'

/** A sentence for the operator about an embedded database that ended by itself. Where in the code it was noticed helps nobody. */
const describeDatabaseEnd = ({ message, name }: Error): string =>
  `cannot go on: the embedded database has ended (${firstLine(message) || name}); what was committed is kept`

/** Logs the end of the embedded database as one sentence; the error with its stack only at the level debug. */
export function logDatabaseEnd(log: Logger, error: Error): void {
  log.debug({ err: error }, 'the embedded database has ended')
  log.fatal(describeDatabaseEnd(error))
}

/** Ends a command whose embedded database ended by itself. */
export function endCommand(error: Error): never {
  console.error(`wishwell: ${describeDatabaseEnd(error)}`)
  process.exit(exitCodes.failed)
}
