import { CommanderError } from 'commander'
import { BackupError } from './backup/manifest.ts'
import { CommandError, exitCodes } from './cli/exit-codes.ts'
import { createProgram } from './cli/program.ts'
import { DataDirectoryError } from './database/embedded/data-directory-error.ts'
import { isDatabaseUnavailable } from './database/errors.ts'
import { SchemaVersionError } from './database/schema-version.ts'
import { ConfigError } from './runtime/config-error.ts'

/** What an error means for whoever called the command: what is printed, and the exit code. */
function explain(error: unknown): { message: string | null; exitCode: number } {
  if (error instanceof CommanderError) return { message: null, exitCode: error.exitCode === 0 ? 0 : exitCodes.usage }
  if (error instanceof CommandError) return { message: error.message, exitCode: error.exitCode }
  if (error instanceof ConfigError) return { message: error.message, exitCode: exitCodes.usage }
  if (error instanceof BackupError) return { message: error.message, exitCode: exitCodes.failed }
  if (error instanceof SchemaVersionError) return { message: error.message, exitCode: exitCodes.failed }
  if (error instanceof DataDirectoryError) return { message: error.message, exitCode: exitCodes.failed }
  if ((error as NodeJS.ErrnoException).code === 'EADDRINUSE') {
    return {
      message: 'The port is in use already: stop what uses it, or set PORT to another.',
      exitCode: exitCodes.failed,
    }
  }
  if (isDatabaseUnavailable(error)) {
    const { message, code } = error as Error & { code?: string }
    return {
      message: `The database cannot be reached or does not serve just now (${message || code}).`,
      exitCode: exitCodes.failed,
    }
  }
  return {
    message: error instanceof Error ? (error.stack ?? error.message) : String(error),
    exitCode: exitCodes.failed,
  }
}

// Whatever is written here is the data of this user alone, from the moment that it is made.
process.umask(0o077)
try {
  await createProgram().parseAsync()
} catch (error) {
  const { message, exitCode } = explain(error)
  if (message !== null) console.error(`wishwell: ${message}`)
  process.exit(exitCode)
}
