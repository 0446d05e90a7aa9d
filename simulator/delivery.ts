import type { IncomingMessage, ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'
import { constants, createGzip, gzip } from 'node:zlib'
import type { Answer } from './answers.ts'

const compress = promisify(gzip)

/** One request on its way to an answer. */
export interface Exchange {
  request: IncomingMessage
  response: ServerResponse
  alwaysCompressed: boolean
  /** Called as soon as a status is sent, also when the body never arrives. */
  onStatus(status: number): void
  /** Aborted when the simulator stops. */
  signal: AbortSignal
}

const zippedHeaders = (isZipped: boolean): Record<string, string> => (isZipped ? { 'content-encoding': 'gzip' } : {})
const firstHalf = <Part extends Buffer | string>(whole: Part) => whole.slice(0, Math.floor(whole.length / 2)) as Part

function writeHead(exchange: Exchange, status: number, headers: Record<string, string | number>): void {
  exchange.onStatus(status)
  exchange.response.writeHead(status, headers)
}

/** Writes the head of an answer; compressed if the client accepts it or the platform always does so. @returns the body; null if nobody waits */
async function begin(exchange: Exchange, { status, headers, body }: Answer): Promise<Buffer | null> {
  const { request, response, alwaysCompressed } = exchange
  const isAccepted = alwaysCompressed || /\bgzip\b/.test(String(request.headers['accept-encoding'] ?? ''))
  const isZipped = isAccepted && body !== ''
  const bytes = isZipped ? await compress(body, { level: constants.Z_BEST_SPEED }) : Buffer.from(body)
  if (response.destroyed) return null
  writeHead(exchange, status, { ...headers, ...zippedHeaders(isZipped), 'content-length': bytes.length })
  return bytes
}

export async function sendAnswer(exchange: Exchange, answer: Answer): Promise<void> {
  const body = await begin(exchange, answer)
  if (body) exchange.response.end(body)
}

/** Half of the bytes, and then silence. */
export async function sendHalf(exchange: Exchange, answer: Answer): Promise<void> {
  const body = await begin(exchange, answer)
  if (body) exchange.response.write(firstHalf(body))
}

export const sendHalfOfJson = (exchange: Exchange, answer: Answer): Promise<void> =>
  sendAnswer(exchange, { ...answer, body: firstHalf(answer.body) })

export async function sendTruncatedGzip(exchange: Exchange, { status, headers, body }: Answer): Promise<void> {
  const whole = await compress(body)
  writeHead(exchange, status, { ...headers, ...zippedHeaders(true) })
  exchange.response.end(firstHalf(whole))
}

/** Without a time never: the server ends such a request when the client hangs up or the simulator stops. */
export async function sendLate(exchange: Exchange, answer: Answer, seconds: number | null): Promise<void> {
  if (seconds === null) return
  await delay(seconds * 1_000, undefined, { signal: exchange.signal })
  await sendAnswer(exchange, answer)
}

export async function sendNothing({ request }: Exchange): Promise<void> {
  request.socket.resetAndDestroy()
}

const hugeBodyBytes = 50 * 1024 * 1024

/** Valid JSON with the padding last, so that only a limit on its size can save a client from reading all of it. */
function* hugeJson(): Generator<Buffer> {
  const chunk = Buffer.alloc(64 * 1024, 'x')
  yield Buffer.from('{"items":[],"hits":[],"padding":"')
  for (let sent = 0; sent < hugeBodyBytes; sent += chunk.length) yield chunk
  yield Buffer.from('"}')
}

export async function sendHuge(exchange: Exchange, isZipped: boolean): Promise<void> {
  writeHead(exchange, 200, { 'content-type': 'application/json; charset=utf-8', ...zippedHeaders(isZipped) })
  const source = Readable.from(hugeJson())
  const sending = isZipped ? pipeline(source, createGzip(), exchange.response) : pipeline(source, exchange.response)
  // A client should close the connection in the middle.
  await sending.catch(() => undefined)
}
