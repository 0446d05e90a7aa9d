import type { LookupFunction } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Dispatcher } from 'undici'
import {
  createDispatcher,
  createDispatcherForAccounts,
  type NetworkProxies,
  noProxies,
} from '../../http/outbound/proxy.ts'
import type { Resolve } from '../../http/outbound/public-address.ts'
import type { Clock } from '../../runtime/clock.ts'
import { after } from '../headers.ts'
import { HostBusyError, PlannedWaitError, PlatformError, SourceRefusedError } from '../platform.ts'
import { type ExchangeContext, labelOf, sendOnce } from './exchange.ts'
import { connectionError, isTimeout, isTransient, noAnswerInTime } from './faults.ts'
import type { Answer, ClientTimeouts, JsonRequest } from './messages.ts'

/** Maximum wait before the first retry. */
const firstRetryMs = 500
const capMs = 8_000

/**
 * Full jitter, so that processes do not retry in step ("Exponential Backoff And Jitter", AWS Architecture Blog).
 * @param attempt 0 before the first retry
 * @param random in [0, 1)
 * @returns milliseconds
 */
export function retryDelay(attempt: number, random: () => number, firstMs = firstRetryMs): number {
  return random() * Math.min(capMs, firstMs * 2 ** attempt)
}

export interface PlatformClient {
  /**
   * Retries transient faults up to twice and records the result in the budget.
   * @returns an answer with JSON and a status of 2xx or in `acceptStatuses`
   * @throws PlatformError otherwise
   */
  getJson(request: JsonRequest): Promise<Answer>
  close(): Promise<void>
}

/** The used part of a pino logger. It never gets a body, header or query string. */
export interface PlatformLog {
  warn(fields: object, message: string): void
}

export interface ClientOptions {
  clock: Clock
  userAgent: string
  log?: PlatformLog
  random?: () => number
  dispatcher?: Dispatcher
  proxies?: NetworkProxies
  /** Allows private addresses named by accounts, treated like the operator's own. */
  allowPrivateTargets?: boolean
  /** Resolves the operator's names; by default the system's resolver. */
  resolver?: LookupFunction | undefined
  /** Resolves account-named hosts; by default the system's resolver. */
  resolve?: Resolve
  timeouts?: Partial<ClientTimeouts>
  maxBodyBytes?: number
}

const defaultTimeouts: ClientTimeouts = {
  connectMs: 5_000,
  headersMs: 10_000,
  bodyMs: 5_000,
  deadlineMs: 15_000,
  retryMs: firstRetryMs,
  cooldownMs: 30_000,
}
const defaultMaxBodyBytes = 10 * 1024 * 1024
const retryLimit = 2
/** When to retry a host with a full queue. */
const busyMs = 1_500

interface ClientContext extends ExchangeContext {
  log: PlatformLog | undefined
  random: () => number
}

/** GitHub refuses requests without a User-Agent. @param contact from `parseRemovalContact`: valid in its comment */
export function userAgentFor(version: string, contact?: string): string {
  const whom = contact === undefined ? '' : `; contact: ${contact}`
  return `Wishwell/${version} (+https://github.com/wishwell/wishwell; feature request collector${whom})`
}

/** An API method's address below a base address, which may have a path of its own. */
export function endpointUrl(baseUrl: string, path: string, parameters: Record<string, string | number>): URL {
  const url = new URL(baseUrl)
  url.pathname = `${url.pathname.replace(/\/+$/, '')}${path}`
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, String(value))
  return url
}

const refuse = (message: string) => new SourceRefusedError(message)

/** The HTTP client of all platforms; this module's README states its rules. */
export function createPlatformClient(options: ClientOptions): PlatformClient {
  const timeouts = { ...defaultTimeouts, ...options.timeouts }
  const { allowPrivateTargets = false, resolver, resolve, proxies = noProxies } = options
  const { connectMs } = timeouts
  const dispatcher = options.dispatcher ?? createDispatcher(proxies, { connectMs, resolver })
  const context: ClientContext = {
    clock: options.clock,
    userAgent: options.userAgent,
    log: options.log,
    random: options.random ?? Math.random,
    dispatcher,
    foreignDispatcher: allowPrivateTargets
      ? dispatcher
      : createDispatcherForAccounts(proxies, { connectMs, resolve, refuse }),
    timeouts,
    maxBodyBytes: options.maxBodyBytes ?? defaultMaxBodyBytes,
  }
  return {
    getJson: (request) => getJson(context, request),
    close: async () => {
      await context.dispatcher.close()
      if (context.foreignDispatcher !== dispatcher) await context.foreignDispatcher.close()
    },
  }
}

async function getJson(context: ClientContext, request: JsonRequest): Promise<Answer> {
  const { budget, signal } = request
  let isAdmitted = false
  try {
    const freeSlot = await budget.enter(signal)
    if (!freeSlot) {
      const retryAt = after(context.clock.now(), busyMs)
      throw new HostBusyError(`The queue for ${labelOf(request)} is full.`, retryAt)
    }
    const deadline = AbortSignal.timeout(context.timeouts.deadlineMs)
    try {
      budget.admit(context.clock.now())
      isAdmitted = true
      const answer = await tryRepeatedly(context, request, AbortSignal.any([signal, deadline]))
      budget.recordSuccess(context.clock.now())
      return answer
    } finally {
      freeSlot()
    }
  } catch (error) {
    if (signal.aborted) {
      if (!isTimeout(signal.reason)) {
        throw new PlatformError('cancelled', `The request to ${labelOf(request)} was cancelled.`)
      }
      // The caller's time limit. A host silent until then counts as failed, as after a longer silence.
      const silence = noAnswerInTime(labelOf(request))
      if (isAdmitted) budget.recordFailure(silence, context.clock.now())
      throw silence
    }
    // A planned wait says nothing new about the host.
    if (error instanceof PlatformError && !(error instanceof PlannedWaitError)) {
      budget.recordFailure(error, context.clock.now())
    }
    throw error
  }
}

async function tryRepeatedly(context: ClientContext, request: JsonRequest, signal: AbortSignal): Promise<Answer> {
  const { platform } = request
  const { deadlineMs, headersMs } = context.timeouts
  const begunAt = context.clock.now().getTime()
  let firstFault: PlatformError | null = null
  for (let attempt = 0; ; attempt++) {
    try {
      return await sendOnce(context, request, signal)
    } catch (fault) {
      const error = fault instanceof PlatformError ? fault : connectionError(labelOf(request), fault)
      // The budget allows no retry: the first fault says more than that, and counts against the host.
      if (firstFault && error instanceof PlannedWaitError) {
        const { code, message, isUnreachable } = firstFault
        throw new PlatformError(code, message, { retryAt: error.retryAt!, isUnreachable })
      }
      if (!isTransient(error) || error.retryAt) throw error
      firstFault ??= error
      // Skip a retry if another such silence would exceed the deadline: the next source may use the time.
      const isLate = error.code === 'timeout' && context.clock.now().getTime() - begunAt + headersMs > deadlineMs
      const isLast = attempt === retryLimit || isLate
      if (!isLast && !signal.aborted) {
        const delayMs = retryDelay(attempt, context.random, context.timeouts.retryMs)
        context.log?.warn({ platform, code: error.code, attempt, delayMs }, 'trying a platform again')
        // At the deadline, the first fault says more than the deadline.
        await sleep(delayMs, undefined, { signal }).catch(() => {})
      }
      if (isLast || signal.aborted) {
        throw new PlatformError(error.code, error.message, {
          retryAt: after(context.clock.now(), context.timeouts.cooldownMs),
          isUnreachable: error.isUnreachable,
        })
      }
    }
  }
}
