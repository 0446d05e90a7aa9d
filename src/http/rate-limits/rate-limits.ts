import { isIP } from 'node:net'
import type { FastifyReply, onRequestAsyncHookHandler } from 'fastify'
import type { Tier } from '../../database/column-types.ts'
import type { Clock } from '../../runtime/clock.ts'
import { createAccountSlots } from '../account-slots.ts'
import type { Account } from '../callers.ts'
import { ServiceError } from '../errors.ts'
import { createSlidingLog, type RateLimiter, type Verdict, windowMs } from './limiter.ts'

/** The eight groups of an IPv6 address; `::` is filled up. */
function groupsOf(address: string): string[] {
  const [head = '', tail] = address.split('::')
  const start = head === '' ? [] : head.split(':')
  const end = tail === undefined || tail === '' ? [] : tail.split(':')
  return [...start, ...Array.from({ length: Math.max(0, 8 - start.length - end.length) }, () => '0'), ...end]
}

/**
 * The client of an address: an IPv4 address, or a whole IPv6 /64, because one connection usually has that many addresses.
 * Text that is no address (a proxy that forwards nonsense) is one client for all.
 */
export function clientOf(address: string): string {
  const plain = (/^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1] ?? address).split('%', 1)[0] ?? ''
  const family = isIP(plain)
  if (family === 4) return plain
  if (family === 6) {
    const prefix = groupsOf(plain.toLowerCase()).slice(0, 4)
    return `${prefix.map((group) => group.replace(/^0+(?=.)/, '')).join(':')}::/64`
  }
  return 'unknown'
}

/** Accepted calls a minute. */
export interface RequestLimits {
  ofTier(tier: Tier): number
  /** Polls of jobs, for an account of any plan: a guard against runaway loops, not a quota. */
  polls: number
  /** Calls of the page by a signed-in person, for an account of any plan: it searches at every key that is pressed. */
  page: number
  /** Calls with keys that only send feedback, for an account of any plan: such keys stand in pages, and whoever reads them may call. */
  feedback: number
  /** Calls without a valid key, from one client address. */
  withoutKey: number
  /** Calls of the page's files and of the documents of the API, which need no key, from one client address. */
  files: number
}

/** The limits that no plan changes. */
export const guardLimits: Pick<RequestLimits, 'polls' | 'page' | 'feedback' | 'withoutKey' | 'files'> = {
  polls: 600,
  page: 600,
  feedback: 60,
  withoutKey: 60,
  files: 600,
}

/** The calls of each policy are counted separately; the names are those in the headers. */
export type AccountPolicy = 'default' | 'polls' | 'page' | 'feedback'

export interface RateLimits {
  /**
   * Counts a call of an account and states in the headers what is left.
   * @throws ServiceError RATE_LIMITED (reason `rate`) when the minute is full; the call is not counted then.
   */
  countCall(account: Account, policy: AccountPolicy, reply: FastifyReply): Promise<void>
  /**
   * Counts a call whose key is missing or wrong. Call it after the key was looked up, so that no valid key is refused.
   * @throws ServiceError RATE_LIMITED (reason `rate`) when the address has had too many of them.
   */
  countWithoutKey(address: string, reply: FastifyReply): Promise<void>
  /**
   * Counts a call of a file that needs no key.
   * @throws ServiceError RATE_LIMITED (reason `rate`) when the address has had too many of them.
   */
  countFile(address: string, reply: FastifyReply): Promise<void>
}

/** Enough for normal use; with more addresses the oldest are removed, so memory is bounded. */
const maxClients = 10_000

const seconds = (milliseconds: number) => Math.ceil(milliseconds / 1000)

/** The fields of draft-ietf-httpapi-ratelimit-headers-11, and Retry-After if the call was refused. */
function setHeaders(reply: FastifyReply, policy: string, limit: number, verdict: Verdict): void {
  const { accepted, remaining, msUntilMore } = verdict
  reply.header('ratelimit-policy', `"${policy}";q=${limit};w=${seconds(windowMs)}`)
  reply.header('ratelimit', `"${policy}";r=${remaining};t=${seconds(msUntilMore)}`)
  if (!accepted) reply.header('retry-after', seconds(msUntilMore))
}

function refusal(what: string, verdict: Verdict): ServiceError {
  const wait = seconds(verdict.msUntilMore)
  const message = `Rate limit exceeded (${what} per minute). Try again in ${wait} second${wait === 1 ? '' : 's'}.`
  return new ServiceError('RATE_LIMITED', message, { reason: 'rate' })
}

const units: Record<AccountPolicy, string> = {
  default: 'requests',
  polls: 'polls',
  page: 'calls of the page',
  feedback: 'calls with keys for feedback',
}

interface RateLimitDependencies {
  clock: Clock
  /** Counts the calls of accounts. Calls without a key are counted in this process, in memory. */
  limiter: RateLimiter
  limits: RequestLimits
}

export function createRateLimits({ clock, limiter, limits }: RateLimitDependencies): RateLimits {
  const clients = createSlidingLog({ clock, maxKeys: maxClients })
  const readers = createSlidingLog({ clock, maxKeys: maxClients })
  return {
    countCall: async ({ accountId, tier }, policy, reply) => {
      const limit = policy === 'default' ? limits.ofTier(tier) : limits[policy]
      const verdict = await limiter.take(`${accountId} ${policy}`, limit)
      setHeaders(reply, policy, limit, verdict)
      if (!verdict.accepted) throw refusal(`${limit} ${units[policy]}`, verdict)
    },
    countWithoutKey: async (address, reply) => {
      const limit = limits.withoutKey
      const verdict = await clients.take(clientOf(address), limit)
      if (verdict.accepted) return
      setHeaders(reply, 'without-key', limit, verdict)
      throw refusal(`${limit} requests without a valid API key`, verdict)
    },
    countFile: async (address, reply) => {
      const limit = limits.files
      const verdict = await readers.take(clientOf(address), limit)
      if (verdict.accepted) return
      setHeaders(reply, 'files', limit, verdict)
      throw refusal(`${limit} files`, verdict)
    },
  }
}

/** How many files an address reads at once: more than a browser's connections to one host. */
export const maxPerAddress = 12
/** A caller that reads no file in this time is gone, or wants to hold its connection. */
const readingMs = 60_000

/**
 * Guards what is served without a key, the files of the page and the documents of the API: an address may read so many in a minute, and a
 * few at once. What they cost, callers with a key do not get.
 */
export function createFileGuard({ countFile }: Pick<RateLimits, 'countFile'>): onRequestAsyncHookHandler {
  const slots = createAccountSlots({ perAccount: maxPerAddress, total: Number.POSITIVE_INFINITY })
  return async ({ ip }, reply) => {
    await countFile(ip, reply)
    const { raw } = reply
    const leave = slots.enter(clientOf(ip))
    if (typeof leave === 'string')
      throw new ServiceError('UNAVAILABLE', 'Too many files are being read at once. Try again shortly.')
    if (raw.destroyed) return leave()
    const timer = setTimeout(() => raw.destroy(), readingMs).unref()
    raw.once('close', () => {
      clearTimeout(timer)
      leave()
    })
  }
}
