import { CommanderError } from 'commander'
import { CommandError, exitCodes } from './cli/exit-codes.ts'
import { runProgram } from './cli/program.ts'
import { DataDirectoryError } from './database/embedded/data-directory-error.ts'
import { isDatabaseUnavailable } from './database/errors.ts'
import { SchemaVersionError } from './database/schema-version-error.ts'
import { BackupError } from './operations/backup/backup-error.ts'
import { MovingError } from './operations/moving/moving-error.ts'
import { ConfigError } from './runtime/config-error.ts'
import { SearchEngineError } from './search/search-engine-error.ts'

/** Errors whose message needs no stack. */
const explained = [BackupError, MovingError, SchemaVersionError, SearchEngineError, DataDirectoryError]

/** The message and the exit code of an error. */
function explain(error: unknown): { message: string | null; exitCode: number } {
  if (error instanceof CommanderError) return { message: null, exitCode: error.exitCode === 0 ? 0 : exitCodes.usage }
  if (error instanceof CommandError) return { message: error.message, exitCode: error.exitCode }
  if (error instanceof ConfigError) return { message: error.message, exitCode: exitCodes.usage }
  if (error instanceof Error && explained.some((kind) => error instanceof kind))
    return { message: error.message, exitCode: exitCodes.failed }
  const { code, port, setting = 'PORT' } = error as NodeJS.ErrnoException & { port?: number; setting?: string }
  if (code === 'EADDRINUSE') {
    return {
      message: `The port ${port} is in use already: stop the process that uses it, or set ${setting} to another port.`,
      exitCode: exitCodes.failed,
    }
  }
  if (isDatabaseUnavailable(error)) {
    const { message, code } = error as Error & { code?: string }
    return {
      message: `The database cannot be reached or is unavailable (${message || code}).`,
      exitCode: exitCodes.failed,
    }
  }
  return {
    message: error instanceof Error ? (error.stack ?? error.message) : String(error),
    exitCode: exitCodes.failed,
  }
}

// Creates all files readable only by this user.
process.umask(0o077)
try {
  const given = process.argv.slice(2)
  // Commander's default command would take an unknown command for a wrong parameter of `serve`.
  const parameters = given.length === 0 ? ['serve'] : given
  await runProgram(parameters)
} catch (error) {
  const { message, exitCode } = explain(error)
  if (message !== null) console.error(`wishwell: ${message}`)
  process.exit(exitCode)
}
