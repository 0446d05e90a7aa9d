import { isIP } from 'node:net'
import { type Dispatcher, errors, request } from 'undici'
import type { Clock } from '../../runtime/clock.ts'
import { createDispatcher, createDispatcherForAccounts, type NetworkProxies, noProxies } from './proxy.ts'
import {
  isPublicAddress,
  publicLookup,
  type Resolve,
  refusal,
  resolveAll,
  TargetRefusedError,
} from './public-address.ts'

/** Non-HTTP ports, by the Fetch Standard (https://fetch.spec.whatwg.org/#port-blocking). */
const blocked = new Set(
  (
    '0 1 7 9 11 13 15 17 19 20 21 22 23 25 37 42 43 53 69 77 79 87 95 101 102 103 104 109 110 111 113 115 117 119 123 135 137 139 143 161 179 389 ' +
    '427 465 512 513 514 515 526 530 531 532 540 548 554 556 563 587 601 636 989 990 993 995 1719 1720 1723 2049 3659 4045 4190 5060 5061 6000 ' +
    '6566 6665 6666 6667 6668 6669 6679 6697 10080'
  ).split(' '),
)

const portFault = (_protocol: string, port: string): string | null =>
  blocked.has(port) ? 'this port is not one of HTTP.' : null

interface TargetAnswer {
  status: number
  /** The receiver's requested wait; null without a readable `Retry-After`. */
  retryAfterMs: number | null
}

export interface TargetRequest {
  url: string
  headers: Record<string, string>
  body: string
  signal: AbortSignal
}

export interface TargetCall extends Omit<TargetRequest, 'body'> {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  body: string | null
}

interface TargetContent extends TargetAnswer {
  /** A header's first value, or null. @param name in lower case */
  header(name: string): string | null
  /** At most 4 MiB. */
  text: string
}

export interface Outbound {
  allowsPrivateTargets: boolean
  /**
   * Requires https (or http to private targets), no credentials, an HTTP port and public addresses.
   * @throws TargetRefusedError with a sentence for the account
   */
  checkTarget(text: string, signal: AbortSignal): Promise<URL>
  /** Posts once. @throws TargetRefusedError, TargetFailedError */
  post(target: TargetRequest): Promise<TargetAnswer>
  /** Calls once and reads the answer. @throws TargetRefusedError, TargetFailedError */
  exchange(target: TargetCall): Promise<TargetContent>
  close(): Promise<void>
}

/** No answer. The message is our own sentence. */
export class TargetFailedError extends Error {
  override readonly name = 'TargetFailedError'
}

export interface OutboundOptions {
  allowPrivateTargets: boolean
  proxies?: NetworkProxies
  resolve?: Resolve
  /** From the start of an attempt to the answer's head. */
  timeoutMs?: number
  /** For a connection including TLS. */
  connectMs?: number
  userAgent: string
  clock: Clock
}

const defaultTimeoutMs = 10_000
const defaultConnectMs = 5_000
/** Bodies are read only to reuse connections; larger or slower ones are not worth it. */
const maxBodyBytes = 64 * 1024
const bodyMs = 1_000
const maxContentBytes = 4 * 1024 * 1024
const keepAliveMs = 4_000
const maxUrlLength = 2_000

/** `Retry-After` in seconds or as a date (RFC 9110, 10.2.3). */
export function readRetryAfter(value: string | string[] | undefined, now: number): number | null {
  const text = Array.isArray(value) ? value[0] : value
  if (text === undefined) return null
  if (/^\d{1,9}(\.\d{1,6})?$/.test(text)) return Math.ceil(Number(text) * 1_000)
  const at = /^[A-Z][a-z]{2}, /.test(text) ? Date.parse(text) : Number.NaN
  return Number.isNaN(at) ? null : Math.max(0, at - now)
}

async function discard(body: Dispatcher.ResponseData['body']): Promise<void> {
  const timer = setTimeout(() => body.destroy(), bodyMs)
  try {
    let bytes = 0
    for await (const chunk of body) {
      bytes += (chunk as Buffer).length
      if (bytes > maxBodyBytes) break
    }
  } catch {
    // The status has arrived, and nothing else counts.
  } finally {
    clearTimeout(timer)
    body.destroy()
  }
}

/** @throws TargetFailedError if it is too large */
async function readContent(body: Dispatcher.ResponseData['body']): Promise<string> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of body) {
    bytes += (chunk as Buffer).length
    // Leaving the loop closes the connection.
    if (bytes > maxContentBytes) throw new TargetFailedError('The answer is too large.')
    chunks.push(chunk as Buffer)
  }
  return Buffer.concat(chunks).toString('utf8')
}

/** A sentence for a connection failure. @param saysWhy false: always the same, as reasons reveal a host's services */
function explain(error: unknown, { isOver, saysWhy }: { isOver: boolean; saysWhy: boolean }): Error {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof TargetRefusedError || cause instanceof TargetFailedError) return cause
  }
  if (!saysWhy) return new TargetFailedError('There was no answer over https with a valid certificate at this port.')
  const { code = '' } = error as { code?: string }
  if (isOver || error instanceof errors.HeadersTimeoutError || error instanceof errors.ConnectTimeoutError) {
    return new TargetFailedError('The receiver did not answer in time.')
  }
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN')
    return new TargetFailedError('The name of the receiver was not found.')
  if (code === 'ECONNREFUSED') return new TargetFailedError('The receiver refused the connection.')
  if (/CERT|TLS|SSL|SELF_SIGNED|ALTNAME|ISSUER/.test(code)) {
    return new TargetFailedError('The certificate of the receiver is not valid.')
  }
  return new TargetFailedError('The connection to the receiver broke.')
}

/** Checks a URL's text. @throws TargetRefusedError */
function parseTarget(text: string, allowPrivateTargets: boolean): URL {
  const url = text.length > maxUrlLength ? null : URL.parse(text)
  if (url === null || !/^https?:$/.test(url.protocol))
    throw new TargetRefusedError(
      `It must be an https address${url === null ? ', which begins with https://' : `, not ${url.protocol}`}.`,
    )
  if (url.protocol === 'http:' && !allowPrivateTargets)
    throw new TargetRefusedError(
      'It must be an https address, not http:, unless the operator sets ALLOW_PRIVATE_TARGETS.',
    )
  if (url.username !== '' || url.password !== '') {
    throw new TargetRefusedError('It must not hold a name and a password.')
  }
  const fault = portFault(url.protocol, url.port)
  if (fault !== null) throw new TargetRefusedError(`${url.hostname}: ${fault}`)
  return url
}

const checkResolved = (hostname: string, resolve: Resolve, signal: AbortSignal) =>
  new Promise<void>((done, fail) => {
    const abort = () => fail(new TargetRefusedError(`${hostname}: its address could not be found in time.`))
    if (signal.aborted) return abort()
    signal.addEventListener('abort', abort, { once: true })
    publicLookup(resolve)(hostname, { all: true }, (error) => {
      signal.removeEventListener('abort', abort)
      if (!error) done()
      else if (error instanceof TargetRefusedError) fail(error)
      else fail(new TargetRefusedError(`${hostname}: its address could not be found.`))
    })
  })

export function createOutbound({
  allowPrivateTargets,
  proxies = noProxies,
  resolve = resolveAll,
  timeoutMs = defaultTimeoutMs,
  connectMs = defaultConnectMs,
  userAgent,
  clock,
}: OutboundOptions): Outbound {
  const dispatcher = allowPrivateTargets
    ? createDispatcher(proxies, { connectMs, keepAliveMs })
    : createDispatcherForAccounts(proxies, { connectMs, resolve, portFault, keepAliveMs })
  /** Calls, and explains failures until the answer is read. */
  const call = async <Answer>(
    { method, url, headers, body, signal }: TargetCall,
    read: (answer: Dispatcher.ResponseData) => Promise<Answer>,
    answerMs: number,
  ): Promise<Answer> => {
    const deadline = AbortSignal.timeout(timeoutMs)
    try {
      const answer = await request(parseTarget(url, allowPrivateTargets), {
        ...{ method, body, dispatcher },
        headers: { 'user-agent': userAgent, ...headers },
        signal: AbortSignal.any([signal, deadline]),
        headersTimeout: timeoutMs,
        bodyTimeout: answerMs,
      })
      return await read(answer)
    } catch (error) {
      const saysWhy = allowPrivateTargets || URL.parse(url)?.port === ''
      throw explain(error, { isOver: deadline.aborted, saysWhy })
    }
  }
  const headOf = ({ statusCode: status, headers }: Dispatcher.ResponseData): TargetAnswer => ({
    status,
    retryAfterMs: readRetryAfter(headers['retry-after'], clock.now().getTime()),
  })
  return {
    allowsPrivateTargets: allowPrivateTargets,
    checkTarget: async (text, signal) => {
      const url = parseTarget(text, allowPrivateTargets)
      if (allowPrivateTargets) return url
      const hostname = url.hostname.replace(/^\[|\]$/g, '')
      if (isIP(hostname) === 0) await checkResolved(hostname, resolve, signal)
      else if (!isPublicAddress(hostname)) throw new TargetRefusedError(refusal(hostname))
      return url
    },
    post: (target) =>
      call(
        { ...target, method: 'POST' },
        async (answer) => {
          await discard(answer.body)
          return headOf(answer)
        },
        bodyMs,
      ),
    exchange: (target) =>
      call(
        target,
        async (answer) => {
          const text = await readContent(answer.body)
          return { ...headOf(answer), text, header: (name) => [answer.headers[name] ?? null].flat()[0] ?? null }
        },
        timeoutMs,
      ),
    close: () => dispatcher.destroy(),
  }
}
