import { readConfig } from './app/config.ts'
import { startService } from './app/service.ts'
import { createLog, logDatabaseEnd } from './cli/log.ts'

export { version } from './runtime/version.ts'

/** Options for starting the service in your own process. */
export interface WishwellOptions {
  /** Settings by their names in docs/configuration.md. The process environment is not read. */
  settings?: Readonly<Record<string, string | undefined>>
  /** Called when the service cannot go on and the process should end. Default: exits with code 1. */
  onCrash?: (error: Error) => void
}

/** A running service. */
export interface Wishwell {
  /** Where it listens, such as `http://127.0.0.1:4680`; null with `ROLE=worker`. */
  readonly address: string | null
  /** The first API key, if this start created one; shown only once. */
  readonly firstApiKey: string | null
  /** A one-time sign-in link for the page, valid for minutes; null if a session exists. */
  readonly signInUrl: string | null
  /** The file or variable with the admin key. */
  readonly adminKeyLocation: string
  /** Finishes calls and pages in progress, then closes everything. Idempotent. @throws after 30 s. */
  stop(): Promise<void>
}

/**
 * Starts the service in this process, like `wishwell serve`. Logs JSON to stderr.
 * @throws Error that says which setting is wrong, or why the database cannot be opened.
 * @example
 * const wishwell = await startWishwell({ settings: { PORT: '0', DATA_DIR: './data' } })
 * console.log(wishwell.address, wishwell.firstApiKey)
 * await wishwell.stop()
 */
export async function startWishwell({ settings = {}, onCrash }: WishwellOptions = {}): Promise<Wishwell> {
  const config = readConfig({ ...settings })
  const logFormat = config.logFormat === 'auto' ? 'json' : config.logFormat
  const log = createLog(config.logLevel, logFormat)
  const crash = (error: Error) => {
    logDatabaseEnd(log, error)
    if (onCrash) onCrash(error)
    else process.exit(1)
  }
  const { address, firstApiKey, signInUrl, adminKeyLocation, stop } = await startService(
    { ...config, logFormat },
    log,
    crash,
  )
  return { address, firstApiKey, signInUrl, adminKeyLocation, stop }
}
