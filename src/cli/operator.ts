import { join } from 'node:path'
import { Readable } from 'node:stream'
import type { ReadableStream } from 'node:stream/web'
import { pino } from 'pino'
import { loadAdminKey, readAdminKey } from '../accounts/admin-key.ts'
import { type Config, readConfig } from '../config.ts'
import { hasDatabase } from '../database/embedded/data-directory.ts'
import { DataDirectoryInUseError } from '../database/embedded/lock.ts'
import type { Service } from '../service.ts'
import { ApiError, connectionError, readAnswer } from './answers.ts'
import { readServiceAddress, type ServiceAddress } from './client-config.ts'
import { endCommand } from './database-end.ts'
import { CommandError, exitCodes } from './exit-codes.ts'
import { noteLines } from './output.ts'

export interface Call {
  method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Sent as JSON. */
  body?: unknown
  headers?: Record<string, string>
  /** The time limit of the call. */
  timeoutMs?: number
}

/** The envelope of an answer. */
export interface Envelope<Data> {
  data: Data
}

/**
 * The admin routes, over the network or in this process. Every call throws ApiError when it is refused or the service cannot be
 * reached.
 */
export interface Operator {
  call<Data>(path: string, call?: Call): Promise<Envelope<Data>>
  /** The chunks of an answer that is not JSON; reading them throws ApiError when the answer breaks off. */
  download(path: string): Promise<AsyncIterable<Uint8Array>>
}

/** A connection to the admin routes: over the network, or in this process. */
interface AdminConnection {
  /** The target of the calls, for messages. */
  url: string
  /** The source of the admin key, for messages. */
  keyFrom: string
  send(path: string, call: Call & { headers: Record<string, string> }): Promise<Response>
  close(): Promise<void>
}

const defaultTimeoutMs = 30_000

/** Whether the connection is refused. @throws ApiError when the service cannot be reached for another reason. */
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

function connectTo({ url, isHere }: ServiceAddress, config: Config): AdminConnection {
  // The key of this machine's service is for no other one.
  const key = config.adminApiKey ?? (isHere ? readAdminKey(config.dataDir) : null)
  if (key === null) {
    const where = isHere ? keySources(config) : 'ADMIN_API_KEY'
    const advice = isHere ? "Set ADMIN_API_KEY, or DATA_DIR to the service's own." : 'Set it, or give --key.'
    const message = `The service at ${url} needs the admin key, which is read from ${where}: there is none.`
    throw new CommandError(`${message}\n${advice}`, exitCodes.usage)
  }
  // fetch refuses such headers with a message that contains them.
  if (!/^[\x21-\x7e]+$/.test(key)) throw new CommandError('The admin key must be ASCII, no spaces.', exitCodes.usage)
  return {
    url,
    keyFrom: keySources(config),
    send: async (path, { method = 'GET', headers, body, timeoutMs }) => {
      try {
        return await fetch(url + path, {
          method,
          headers: { ...headers, authorization: `Bearer ${key}` },
          ...(body === undefined ? {} : { body: JSON.stringify(body) }),
          ...(timeoutMs === undefined ? {} : { signal: AbortSignal.timeout(timeoutMs) }),
          redirect: 'manual',
        })
      } catch (error) {
        throw connectionError(url, error, timeoutMs ?? 0)
      }
    },
    close: async () => {},
  }
}

/** @throws CommandError when the service is on another machine, or this machine has no database that can be opened. */
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
    // Only here, since a call of a running service needs none of it.
    const { startService } = await import('../service.ts')
    return await startService(config, log, endCommand, { offline: true })
  } catch (error) {
    if (!(error instanceof DataDirectoryInUseError)) throw error
    throw unreachable(
      `A service holds the data directory ${dataDir}, but nothing listens at ${url}. ` +
        'Unless it is still starting, set WISHWELL_URL to the address that it printed.',
    )
  }
}

/** The same routes in this process: nothing listens, no job runs. */
async function connectInProcess(config: Config, address: ServiceAddress): Promise<AdminConnection> {
  const service = await openOffline(config, address)
  const database = config.databaseUrl === undefined ? config.dataDir : 'DATABASE_URL'
  noteLines([`Nothing listens at ${address.url}: using the database in ${database} directly.`])
  const { key, location } = loadAdminKey(config)
  return {
    url: address.url,
    keyFrom: location,
    send: async (path, { method = 'GET', headers, body }) => {
      const answer = await service.app.inject({
        method,
        path,
        headers: { ...headers, authorization: `Bearer ${key}` },
        // The address of the service: links begin with it.
        authority: new URL(address.url).host,
        ...(body === undefined ? {} : { payload: JSON.stringify(body) }),
        payloadAsStream: true,
      })
      const stream = Readable.toWeb(answer.stream()) as ReadableStream<Uint8Array>
      return new Response(stream as never, { status: answer.statusCode, headers: answer.headers as never })
    },
    close: () => service.stop(),
  }
}

/** The chunks of a body; when it breaks off, the error says so. */
async function* orCutOff(body: AsyncIterable<Uint8Array>, url: string): AsyncGenerator<Uint8Array> {
  try {
    yield* body
  } catch {
    const message = `The answer of ${url} was cut off. The log of the service may say why.`
    throw new ApiError(message, exitCodes.unreachable, { temporary: true })
  }
}

function createOperator({ url, keyFrom, send }: AdminConnection): Operator {
  const textOf = async (response: Response, timeoutMs: number) => {
    try {
      return await response.text()
    } catch (error) {
      throw connectionError(url, error, timeoutMs)
    }
  }
  const read = async (response: Response, timeoutMs: number) => {
    const { status, headers } = response
    return readAnswer({ url, status, headers, text: await textOf(response, timeoutMs), keyFrom })
  }
  return {
    call: async <Data>(path: string, { timeoutMs = defaultTimeoutMs, ...call }: Call = {}) => {
      const json = call.body === undefined ? {} : { 'content-type': 'application/json' }
      const response = await send(path, { ...call, timeoutMs, headers: { ...json, ...call.headers } })
      return (await read(response, timeoutMs)) as unknown as Envelope<Data>
    },
    download: async (path) => {
      const response = await send(path, { headers: {} })
      if (!response.ok || response.body === null) await read(response, 0)
      return orCutOff(response.body as ReadableStream<Uint8Array>, url)
    },
  }
}

/**
 * Calls `run` with the admin routes of the running service or, when the connection is refused, with the same routes in this
 * process on the database itself.
 * @throws CommandError when both are impossible: the service cannot be reached, the key is missing, or another process holds the
 * data directory.
 */
export async function withOperator<T>(run: (operator: Operator) => Promise<T>): Promise<T> {
  const config = readConfig()
  const address = readServiceAddress(config)
  const refused = await isRefused(address.url)
  const connection = refused ? await connectInProcess(config, address) : connectTo(address, config)
  try {
    return await run(createOperator(connection))
  } finally {
    await connection.close()
  }
}
