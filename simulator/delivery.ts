import type { IncomingMessage, ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'
import { constants, createGzip, gzip } from 'node:zlib'
import type { Answer } from './answers.ts'
import type { Fault } from './faults.ts'

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

function wantsGzip({ request, alwaysCompressed }: Exchange): boolean {
  return alwaysCompressed || /\bgzip\b/.test(String(request.headers['accept-encoding'] ?? ''))
}

function writeHead(exchange: Exchange, status: number, headers: Record<string, string | number>): void {
  exchange.onStatus(status)
  exchange.response.writeHead(status, headers)
}

/** Sends an answer, compressed if the client accepts it or the platform always does so. */
export async function sendAnswer(exchange: Exchange, answer: Answer): Promise<void> {
  const zipped = wantsGzip(exchange) && answer.body !== ''
  const bytes = Buffer.from(answer.body)
  const sent = zipped ? await compress(bytes, { level: constants.Z_BEST_SPEED }) : bytes
  if (exchange.response.destroyed) return
  const encoding: Record<string, string> = zipped ? { 'content-encoding': 'gzip' } : {}
  writeHead(exchange, answer.status, { ...answer.headers, ...encoding, 'content-length': sent.length })
  exchange.response.end(sent)
}

const hugeBodyBytes = 50 * 1024 * 1024

/** Valid JSON with the padding last, so that only a limit on its size can save a client from reading all of it. */
function* hugeJson(): Generator<Buffer> {
  const chunk = Buffer.alloc(64 * 1024, 'x')
  yield Buffer.from('{"items":[],"hits":[],"padding":"')
  for (let sent = 0; sent < hugeBodyBytes; sent += chunk.length) yield chunk
  yield Buffer.from('"}')
}

const jsonType = { 'content-type': 'application/json; charset=utf-8' }

async function sendHuge(exchange: Exchange, zipped: boolean): Promise<void> {
  const encoding: Record<string, string> = zipped ? { 'content-encoding': 'gzip' } : {}
  writeHead(exchange, 200, { ...jsonType, ...encoding })
  const source = Readable.from(hugeJson())
  const sending = zipped ? pipeline(source, createGzip(), exchange.response) : pipeline(source, exchange.response)
  // A client should close the connection in the middle.
  await sending.catch(() => undefined)
}

async function sendTruncatedGzip(exchange: Exchange, answer: Answer): Promise<void> {
  const whole = await compress(answer.body)
  writeHead(exchange, answer.status, { ...answer.headers, 'content-encoding': 'gzip' })
  exchange.response.end(whole.subarray(0, Math.floor(whole.length / 2)))
}

async function sendStalled(exchange: Exchange, answer: Answer): Promise<void> {
  const whole = wantsGzip(exchange) ? await compress(answer.body) : Buffer.from(answer.body)
  const encoding: Record<string, string> = wantsGzip(exchange) ? { 'content-encoding': 'gzip' } : {}
  writeHead(exchange, answer.status, { ...answer.headers, ...encoding, 'content-length': whole.length })
  exchange.response.write(whole.subarray(0, Math.floor(whole.length / 2)))
}

/** Damages an answer while it is sent. Faults that change the content of an answer are handled earlier (spoilt-answer.ts). */
export async function deliver(exchange: Exchange, fault: Fault | null, answer: Answer): Promise<void> {
  switch (fault?.name) {
    case 'reset':
      exchange.request.socket.resetAndDestroy()
      return
    case 'slow_headers':
      // The server ends such a request when the client hangs up or the simulator stops.
      if (fault.seconds === null) return
      await delay(fault.seconds * 1_000, undefined, { signal: exchange.signal })
      return sendAnswer(exchange, answer)
    case 'stalled_body':
      return sendStalled(exchange, answer)
    case 'truncated_gzip':
      return sendTruncatedGzip(exchange, answer)
    case 'truncated_json':
      return sendAnswer(exchange, { ...answer, body: answer.body.slice(0, Math.floor(answer.body.length / 2)) })
    case 'huge_body':
      return sendHuge(exchange, false)
    case 'gzip_bomb':
      return sendHuge(exchange, true)
    default:
      return sendAnswer(exchange, answer)
  }
}
