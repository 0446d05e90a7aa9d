import { randomUUID } from 'node:crypto'
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, isAbsolute, join } from 'node:path'
import { readConfigFile } from '../app/config-file.ts'
import { CommandError, exitCodes } from './exit-codes.ts'

/** The environment of client commands. */
export interface ClientConfig {
  /** The service's address, without a trailing slash. */
  url: string
  apiKey: string
  /** Where the key came from, for messages. */
  keyFrom: string
  /** Whether the terminal supports cursor movements. */
  movesCursor: boolean
}

const usageError = (message: string) => new CommandError(message, exitCodes.usage)

function parseUrl(text: string): string {
  const url = URL.parse(text)
  if (!url || !/^https?:$/.test(url.protocol)) {
    throw usageError(
      '--url or WISHWELL_URL: must be the address of a service with http:// or https://, like http://127.0.0.1:4680.',
    )
  }
  // fetch refuses such addresses with a message that contains them.
  if (url.username !== '' || url.password !== '') throw usageError('WISHWELL_URL: must not hold a name or a password.')
  return (url.origin + url.pathname).replace(/\/+$/, '')
}

export interface ServiceAddress {
  /** The service's address, without a trailing slash. */
  url: string
  /** Whether the service, and so its database, may be on this machine. */
  isHere: boolean
}

const loopback = /^(localhost|127(\.\d+){3}|\[::1\])$/

/** Where operator commands call: WISHWELL_URL, else `serve` in this environment. @throws CommandError */
export function readServiceAddress(
  { host, port }: { host: string; port: number },
  environment: Record<string, string | undefined> = process.env,
): ServiceAddress {
  const given = environment.WISHWELL_URL?.trim() || null
  if (given !== null) {
    const url = parseUrl(given)
    return { url, isHere: loopback.test(new URL(url).hostname) }
  }
  // A service that listens on all addresses includes loopback.
  const name = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host.includes(':') ? `[${host}]` : host
  return { url: `http://${name}:${port || 4680}`, isHere: true }
}

/** The readiness address: `/readyz`, or a worker's metrics. @throws CommandError if none, ConfigError */
export function readHealthAddress(environment: Record<string, string | undefined> = process.env): string {
  const file = readConfigFile(environment)
  const value = (name: string) => environment[name]?.trim() || file[name]?.trim() || undefined
  const serviceAt = (host: string, port: number) => readServiceAddress({ host, port }, environment).url
  if (value('ROLE') !== 'worker' || environment.WISHWELL_URL?.trim())
    return `${serviceAt(value('HOST') ?? '127.0.0.1', Number(value('PORT') ?? 0))}/readyz`
  const port = Number(value('METRICS_PORT') ?? 0)
  if (!(port > 0)) throw usageError('METRICS_PORT is not set: a worker has no other address to ask.')
  return `${serviceAt(value('METRICS_HOST') ?? '127.0.0.1', port)}/metrics`
}

/** @param address defaults to where `serve` listens @throws CommandError that never contains a value. */
export function parseClientConfig(address: string | undefined, apiKey: string): ClientConfig {
  if (!/^[\x21-\x7e]+$/.test(apiKey)) {
    throw usageError('WISHWELL_API_KEY: is not an API key; one is ww_live_ and 32 characters of a-z and 0-9.')
  }
  const url = parseUrl(address?.trim() || 'http://127.0.0.1:4680')
  return { url, apiKey, keyFrom: '--key or WISHWELL_API_KEY', movesCursor: process.env.TERM !== 'dumb' }
}

/**
 * Reads WISHWELL_URL and WISHWELL_API_KEY, else the saved login. A saved key is only sent to its own service, and no
 * other key is sent there.
 * @throws CommandError that says what is missing and where to get it, never a value.
 */
export function readClientConfig(environment: Record<string, string | undefined> = process.env): ClientConfig {
  const address = environment.WISHWELL_URL?.trim() || undefined
  const apiKey = environment.WISHWELL_API_KEY?.trim() ?? ''
  if (apiKey !== '') return parseClientConfig(address, apiKey)
  const saved = readSavedLogin(environment)
  if (saved !== null && (address === undefined || parseUrl(address) === saved.url)) {
    return { ...parseClientConfig(saved.url, saved.apiKey), keyFrom: loginFile(environment) }
  }
  throw usageError(
    'There is no API key: run "wishwell login", or set WISHWELL_API_KEY. The service prints a key once, when "wishwell serve" starts for the ' +
      'first time;\nits operator can add more with "wishwell admin keys create".',
  )
}

interface SavedLogin {
  url: string
  apiKey: string
}

type Environment = Record<string, string | undefined>

/** By the XDG Base Directory Specification, which ignores relative paths; on Windows in the roaming profile. */
function loginFile(environment: Environment = process.env): string {
  const configured = process.platform === 'win32' ? environment.APPDATA : environment.XDG_CONFIG_HOME
  const base = configured && isAbsolute(configured) ? configured : join(homedir(), '.config')
  return join(base, 'wishwell', 'config.json')
}

/** @returns null if nothing, or something else, is saved. */
export function readSavedLogin(environment: Environment = process.env): SavedLogin | null {
  try {
    const { url, apiKey } = JSON.parse(readFileSync(loginFile(environment), 'utf8')) as Partial<SavedLogin>
    return typeof url === 'string' && typeof apiKey === 'string' ? { url, apiKey } : null
  } catch {
    return null
  }
}

/** Saves the login, readable only by its owner. @returns the file's name. @throws CommandError */
export function saveLogin(login: SavedLogin, environment: Environment = process.env): string {
  // Not in place: an existing file might be readable by others.
  let partial: string | null = null
  try {
    const file = loginFile(environment)
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
    partial = `${file}.${randomUUID()}`
    writeFileSync(partial, `${JSON.stringify(login)}\n`, { mode: 0o600, flag: 'wx' })
    renameSync(partial, file)
    return file
  } catch (error) {
    if (partial !== null) rmSync(partial, { force: true })
    throw new CommandError(`The key cannot be saved: ${(error as Error).message}`)
  }
}
