import { join } from 'node:path'
import { Readable } from 'node:stream'
import type { ReadableStream } from 'node:stream/web'
import type { Client } from 'openapi-fetch'
import createClient from 'openapi-fetch'
import { pino } from 'pino'
import type { paths } from '../../client/api.d.ts'
import { loadAdminKey, readAdminKey } from '../accounts/admin-key.ts'
import { type Config, readConfig } from '../app/config.ts'
import type { Service } from '../app/service.ts'
import { hasDatabase } from '../database/embedded/data-directory.ts'
import { DataDirectoryInUseError } from '../database/embedded/lock.ts'
import { connectionError } from './answers.ts'
import { pathSerializer } from './api.ts'
import { readServiceAddress, type ServiceAddress } from './client-config.ts'
import { type Connection, type ConnectionConfig, createConnection } from './connection.ts'
import { CommandError, exitCodes } from './exit-codes.ts'
import { endCommand } from './log.ts'
import { noteLines } from './output.ts'

/** The operator's calls, over the network or in this process. Throw ApiError if refused or unreachable. */
export interface Operator {
  /** The calls of `client/api.d.ts`. */
  api: Client<paths, 'application/json'>
  /** Any other call, and streamed answers. */
  connection: Connection
  url: string
}

const defaultTimeoutMs = 30_000
/** A large database's backup is copied before its first byte is sent. */
const silenceMs = 10 * 60_000

/** Whether the connection is refused. @throws ApiError if the service is unreachable for another reason. */
async function isRefused(url: string): Promise<boolean> {
  try {
    await fetch(`${url}/healthz`, { redirect: 'manual', signal: AbortSignal.timeout(defaultTimeoutMs) })
    return false
  } catch (error) {
    if ((error as { cause?: { code?: string } }).cause?.code === 'ECONNREFUSED') return true
    throw connectionError(url, error, defaultTimeoutMs)
  }
}

const keySources = ({ dataDir }: Config) => `ADMIN_API_KEY, else from ${join(dataDir, 'admin-key')}`

/** The operator's key and its source. @throws CommandError if there is none. */
function readKey({ url, isHere }: ServiceAddress, config: Config): ConnectionConfig {
  // This machine's key is only for its own service.
  const key = config.adminApiKey ?? (isHere ? readAdminKey(config.dataDir) : null)
  if (key === null) {
    const where = isHere ? keySources(config) : 'ADMIN_API_KEY'
    const advice = isHere ? "Set ADMIN_API_KEY, or DATA_DIR to the service's own." : 'Set it, or give --key.'
    const message = `The service at ${url} needs the admin key, which is read from ${where}: there is none.`
    throw new CommandError(`${message}\n${advice}`, exitCodes.usage)
  }
  // fetch refuses such headers with a message that contains them.
  if (!/^[\x21-\x7e]+$/.test(key)) throw new CommandError('The admin key must be ASCII, no spaces.', exitCodes.usage)
  return { url, apiKey: key, keyFrom: keySources(config) }
}

/** @throws CommandError if the service is on another machine, or no database can be opened here. */
async function openOffline(config: Config, { url, isHere }: ServiceAddress): Promise<Service> {
  const unreachable = (message: string) => new CommandError(message, exitCodes.unreachable)
  if (!isHere) throw unreachable(`Nothing listens at ${url}. Start the service there, or set WISHWELL_URL.`)
  const { databaseUrl, dataDir } = config
  if (databaseUrl === undefined && !hasDatabase(dataDir)) {
    throw unreachable(
      `Nothing listens at ${url}, and there is no database in ${dataDir}. ` +
        'Start the service with "wishwell serve", or set WISHWELL_URL or DATA_DIR.',
    )
  }
  const log = pino({ level: 'error', base: null }, pino.destination({ fd: 2, sync: true }))
  try {
    // Loaded on demand, since calls of a running service do not need it.
    const { startService } = await import('../app/service.ts')
    return await startService(config, log, endCommand, { offline: true })
  } catch (error) {
    if (!(error instanceof DataDirectoryInUseError)) throw error
    throw unreachable(
      `A service holds the data directory ${dataDir}, but nothing listens at ${url}. ` +
        'Unless it is still starting, set WISHWELL_URL to the address that it printed.',
    )
  }
}

/** A service in this process: nothing listens, no job runs. */
const transportTo =
  ({ app }: Service): typeof fetch =>
  async (input) => {
    const request = input as Request
    const { pathname, search, host } = new URL(request.url)
    const body = await request.text()
    const answer = await app.inject({
      method: request.method as 'GET',
      path: pathname + search,
      headers: Object.fromEntries(request.headers),
      // The service's address, because links start with it.
      authority: host,
      ...(body === '' ? {} : { payload: body }),
      payloadAsStream: true,
    })
    const stream = Readable.toWeb(answer.stream()) as ReadableStream<Uint8Array>
    return new Response(stream as never, { status: answer.statusCode, headers: answer.headers as never })
  }

function createOperator(config: ConnectionConfig, timeoutMs: number, transport?: typeof fetch): Operator {
  const connection = createConnection(config, timeoutMs, { silenceMs, ...(transport && { transport }) })
  const { url } = config
  const options = { baseUrl: url, pathSerializer, fetch: connection.fetch }
  return { url, connection, api: createClient<paths, 'application/json'>(options) }
}

/**
 * Calls `run` with the admin routes of the running service or, if the connection is refused, with the same routes in
 * this process on the database.
 * @throws CommandError if neither works: the service is unreachable, the key is missing, or the data directory is
 * locked.
 */
export async function withOperator<T>(
  run: (operator: Operator) => Promise<T>,
  { timeoutMs = defaultTimeoutMs } = {},
): Promise<T> {
  const config = readConfig()
  const address = readServiceAddress(config)
  if (!(await isRefused(address.url))) return run(createOperator(readKey(address, config), timeoutMs))
  const service = await openOffline(config, address)
  try {
    const database = config.databaseUrl === undefined ? config.dataDir : 'DATABASE_URL'
    noteLines([`Nothing listens at ${address.url}: using the database in ${database} directly.`])
    const { key, location } = loadAdminKey(config)
    const inProcess = { url: address.url, apiKey: key, keyFrom: location }
    return await run(createOperator(inProcess, timeoutMs, transportTo(service)))
  } finally {
    await service.stop()
  }
}
