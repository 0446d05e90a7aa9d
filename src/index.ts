import { readConfig } from './app/config.ts'
import { startService } from './app/service.ts'
import { createLog, logDatabaseEnd } from './cli/log.ts'

export { version } from './runtime/version.ts'

/** How the service is started in a process of yours. */
export interface WishwellOptions {
  /** The settings, by the names of docs/configuration.md. Nothing is read from the environment of the process. */
  settings?: Readonly<Record<string, string | undefined>>
  /** Called when the service cannot go on: end the process. Without it, the process ends with exit code 1. */
  onCrash?: (error: Error) => void
}

/** A service that runs. */
export interface Wishwell {
  /** Where it listens, such as `http://127.0.0.1:4680`; null with `ROLE=worker`. */
  readonly address: string | null
  /** The first API key, if this start made one; it is shown only once. */
  readonly firstApiKey: string | null
  /** A link that signs in to the page once, within minutes; null when a session exists already. */
  readonly signInUrl: string | null
  /** The file or the variable that has the admin key. */
  readonly adminKeyLocation: string
  /** Ends the calls and pages in progress, then closes everything. May be called twice. @throws when it has not ended after 30 s. */
  stop(): Promise<void>
}

/**
 * Starts the service in this process, as `wishwell serve` does in one of its own. The log goes to stderr, as JSON.
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
