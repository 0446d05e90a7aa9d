import { cooldownAfterRefusal } from '../../budget/announced-limits.ts'
import type { Budget, BudgetLimits } from '../../budget/budget.ts'
import { endpointUrl } from '../../client/client.ts'
import type { Answer } from '../../client/messages.ts'
import { asFields, asInteger, asString, type Fields } from '../../content/fields.ts'
import { requiredList } from '../../content/items.ts'
import type { AdapterDependencies } from '../../definition.ts'
import { after } from '../../headers.ts'
import { PlatformError, SourceRefusedError } from '../../platform.ts'

/** Pause before probing a used-up quota, see `correctStackexchangeBudget`. */
const probeAfterMs = 60 * 60 * 1000

/**
 * Bodies state the remaining quota and, as `backoff`, seconds to pause, but not the renewal, which other users of the
 * address may have started earlier. So an hour after it ran out one request probes; if too early, the refusal names the
 * time.
 */
async function correctStackexchangeBudget(budget: Budget, answer: Answer, now: Date): Promise<void> {
  const body = asFields(answer.body)
  const remaining = asInteger(body?.quota_remaining)
  if (remaining !== null) await budget.correctQuota({ remaining, resetsAt: after(now, probeAfterMs) }, now)
  const backoffSeconds = asInteger(body?.backoff) ?? 0
  if (backoffSeconds > 0) budget.pauseUntil(after(now, backoffSeconds * 1000))
}

/** Where a site is named: here, or in an account's job. */
export const listedInVariable = 'STACKEXCHANGE_SITES'
export const listedInJob = 'the sources of the job'

const refusedKey = () =>
  new PlatformError('unauthorized', 'stackexchange refused the key. Check STACKEXCHANGE_API_KEY.')

/** Every error is HTTP 400, identified by a number in the body (api.stackexchange.com/docs/error-handling). */
function stackexchangeError(
  answer: Answer,
  { site, listedIn }: { site: string; listedIn: string },
  now: Date,
): PlatformError | null {
  const body = asFields(answer.body)
  const message = asString(body?.error_message) ?? ''
  switch (asInteger(body?.error_id)) {
    case 400:
      // An unknown key is a bad parameter, too; only the text distinguishes it from an unknown site.
      if (/\bkey\b/.test(message)) return refusedKey()
      return new SourceRefusedError(`stackexchange refused a parameter for "${site}". Check ${listedIn}.`)
    case 404:
      return new PlatformError('bad_response', 'stackexchange has no such method. Check STACKEXCHANGE_API_URL.')
    case 401:
    case 402:
    case 403:
    case 405:
    case 406:
      return refusedKey()
    case 502:
      return tooManyRequests(message, now)
    case 500:
    case 503:
      return new PlatformError('unavailable', 'stackexchange is temporarily unavailable. Try again later.')
    default:
      return null
  }
}

function tooManyRequests(message: string, now: Date): PlatformError {
  const seconds = /available in (\d+) second/.exec(message)?.[1]
  const availableAt = seconds === undefined ? null : after(now, Number(seconds) * 1000)
  const retryAt = cooldownAfterRefusal({}, now, availableAt)
  return new PlatformError('rate_limited', 'stackexchange allows no more requests for now.', { retryAt })
}

export interface StackexchangeOptions extends AdapterDependencies {
  baseUrl: string
  /** A key from stackapps.com. It is sent in the query string, so query strings are never logged. */
  key?: string | undefined
  /** API site parameters, searched round-robin by page. */
  sites: readonly string[]
}

/**
 * Over 30 requests a second ban an address (api.stackexchange.com/docs/throttle); this allows half. The quota renews 24
 * hours after its first use (stackapps.com/q/10486).
 */
const stackexchangeLimits = (baseUrl: string, hasKey: boolean): BudgetLimits => ({
  name: new URL(baseUrl).host,
  windows: [{ limit: 15, windowMs: 1_000 }],
  // No rule demands one at a time, so topics of a live call run in parallel.
  concurrency: 3,
  quota: { limit: hasKey ? 10_000 : 300, periodEnd: (now) => new Date(now.getTime() + 24 * 60 * 60 * 1000) },
})

export interface SiteCall {
  /** Below the base address, e.g. `/questions/1;2`. */
  path: string
  site: string
  /** Where the message's reader can change the site. */
  listedIn: string
  parameters: Record<string, string | number>
  signal: AbortSignal
  /** Returns error 404 instead of throwing: nothing has that id. */
  returnsMissing?: boolean
}

/** Calls one site. @returns the wrapper with `items` */
export type CallSite = (call: SiteCall) => Promise<Fields | null>

/** Whether a wrapper is the error `no_method`, which the API also answers for an unknown id. */
export const isMissing = (wrapper: Fields | null): boolean => asInteger(wrapper?.error_id) === 404

export const itemsOf = (wrapper: Fields | null): unknown[] =>
  requiredList(wrapper?.items, { label: 'stackexchange', items: 'items', variable: 'STACKEXCHANGE_API_URL' })

export function createSiteCalls({ client, clock, openBudget, baseUrl, key }: StackexchangeOptions): CallSite {
  const budget = openBudget(stackexchangeLimits(baseUrl, key !== undefined))
  return async ({ path, site, listedIn, parameters, signal, returnsMissing = false }) => {
    const isReturned = ({ body }: Answer) => returnsMissing && isMissing(asFields(body))
    const { body } = await client.getJson({
      platform: 'stackexchange',
      url: endpointUrl(baseUrl, path, { site, ...parameters, ...(key === undefined ? {} : { key }) }),
      budget,
      signal,
      readLimits: (answer) => correctStackexchangeBudget(budget, answer, clock.now()),
      readError: (answer) => (isReturned(answer) ? null : stackexchangeError(answer, { site, listedIn }, clock.now())),
      ...(returnsMissing ? { acceptStatuses: [400, 404] } : {}),
    })
    return asFields(body)
  }
}
