import { isIP } from 'node:net'
import type { FastifyReply, onRequestAsyncHookHandler } from 'fastify'
import type { Tier } from '../../database/column-types.ts'
import type { Clock } from '../../runtime/clock.ts'
import { createAccountSlots } from '../account-slots.ts'
import type { Account } from '../callers.ts'
import { ServiceError } from '../errors.ts'
import { createSlidingLog, type RateLimiter, type Verdict, windowMs } from './limiter.ts'

function groupsOf(address: string): string[] {
  const [head = '', tail] = address.split('::')
  const start = head === '' ? [] : head.split(':')
  const end = tail === undefined || tail === '' ? [] : tail.split(':')
  return [...start, ...Array.from({ length: Math.max(0, 8 - start.length - end.length) }, () => '0'), ...end]
}

/** An IPv4 address, or a whole IPv6 /64, which one connection usually has. All invalid text is one client. */
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

export interface RequestLimits {
  ofTier(tier: Tier): number
  /** Job polls per account, for any plan: a guard against runaway loops, not a quota. */
  polls: number
  /** Calls of a signed-in person's page, for any plan: it searches at every key press. */
  page: number
  /** Calls with feedback-only keys, for any plan: such keys are public in pages. */
  feedback: number
  /** Calls without a valid key, per client address. */
  withoutKey: number
  /** Page files and API documents, without a key, per client address. */
  files: number
}

export const guardLimits: Pick<RequestLimits, 'polls' | 'page' | 'feedback' | 'withoutKey' | 'files'> = {
  polls: 600,
  page: 600,
  feedback: 60,
  withoutKey: 60,
  files: 600,
}

/** Policies with separate counts; the names appear in headers. */
export type AccountPolicy = 'default' | 'polls' | 'page' | 'feedback'

export interface RateLimits {
  /** Counts a call and sets headers. @throws ServiceError RATE_LIMITED (`rate`), not counting the call */
  countCall(account: Account, policy: AccountPolicy, reply: FastifyReply): Promise<void>
  /** Call after the key lookup, so no valid key is refused. @throws ServiceError RATE_LIMITED (`rate`) by address */
  countWithoutKey(address: string, reply: FastifyReply): Promise<void>
  /** @throws ServiceError RATE_LIMITED (`rate`) after too many files for the address */
  countFile(address: string, reply: FastifyReply): Promise<void>
}

/** Bounds memory, and suffices for normal use; the oldest addresses are dropped. */
const maxClients = 10_000

const seconds = (milliseconds: number) => Math.ceil(milliseconds / 1000)

/** Sets draft-ietf-httpapi-ratelimit-headers-11 fields, and Retry-After on refusal. */
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
  /** Counts accounts' calls. Those without a key are counted in this process's memory. */
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

/** Files an address may read at once: more than a browser's connections per host. */
export const maxPerAddress = 12
/** A caller that reads nothing for this long is gone, or blocking its connection. */
const readingMs = 60_000

/** Limits files and API documents per address, by minute and at once, to spare callers with a key. */
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
