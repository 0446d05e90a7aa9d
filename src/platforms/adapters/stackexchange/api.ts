import type { BudgetLimits } from '../../budget/budget.ts'
import { endpointUrl } from '../../client/client.ts'
import type { Answer } from '../../client/messages.ts'
import { asFields, asInteger, type Fields } from '../../content/fields.ts'
import type { AdapterDependencies } from '../../definition.ts'
import { requiredList } from '../required-list.ts'
import { correctStackexchangeBudget, stackexchangeError } from './errors.ts'

export interface StackexchangeOptions extends AdapterDependencies {
  /** `https://api.stackexchange.com/2.3`. */
  baseUrl: string
  /** A key from stackapps.com. It travels in the query string, so query strings are never logged. */
  key?: string | undefined
  /** API site parameters, searched round-robin, a page each. */
  sites: readonly string[]
}

/**
 * Rules: api.stackexchange.com/docs/throttle. Over 30 requests a second an address is banned; the window allows half of that.
 * The quota is renewed 24 hours after its first use (stackapps.com/q/10486).
 */
const stackexchangeLimits = (baseUrl: string, hasKey: boolean): BudgetLimits => ({
  name: new URL(baseUrl).host,
  windows: [{ limit: 15, windowMs: 1_000 }],
  // No rule demands one at a time, and the topics of a live call need not wait for each other.
  concurrency: 3,
  quota: { limit: hasKey ? 10_000 : 300, periodEnd: (now) => new Date(now.getTime() + 24 * 60 * 60 * 1000) },
})

export interface SiteCall {
  /** Below the base address, such as `/questions/1;2`. */
  path: string
  site: string
  /** Where the person who reads a message can change the site. */
  listedIn: string
  parameters: Record<string, string | number>
  signal: AbortSignal
  /** Returns error 404 like an answer: by id it means that nothing has that id. */
  returnsMissing?: boolean
}

/** One call about one site. @returns the answer, a wrapper with `items`. */
export type CallSite = (call: SiteCall) => Promise<Fields | null>

/** Whether a wrapper is the error `no_method`, with which the API also answers an id that does not exist. */
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
