import type { Discarded } from '../../../database/column-types.ts'
import type { Budget, BudgetLimits } from '../../budget/budget.ts'
import { endpointUrl } from '../../client/client.ts'
import { asFields, asPage, readItems } from '../../content/fields.ts'
import type { AdapterDependencies } from '../../definition.ts'
import type { Page, PageRequest, Platform } from '../../platform.ts'
import { searchWords } from '../../topic-words.ts'
import { requiredList } from '../required-list.ts'
import { fetchRoundRobin, type SourcePage } from '../round-robin.ts'
import { correctStackexchangeBudget, stackexchangeError } from './errors.ts'
import { readQuestion } from './post.ts'

export interface StackexchangeOptions extends AdapterDependencies {
  /** `https://api.stackexchange.com/2.3`. */
  baseUrl: string
  /** A key from stackapps.com. It travels in the query string, so query strings are never logged. */
  key?: string | undefined
  /** API site parameters, searched round-robin, a page each. */
  sites: readonly string[]
}

const pageSize = 100
/** Later pages need a key. */
const lastPageWithoutKey = 25

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

/**
 * Questions of the configured sites that match the topic (`GET /search/advanced`, by relevance). On meta sites only those
 * tagged `feature-request`. Other sites have no such tag: configure one only when its questions are wishes by themselves, as
 * on `softwarerecs`.
 */
export function createStackexchange(options: StackexchangeOptions): Platform {
  const { openBudget, baseUrl, key, sites } = options
  const budget = openBudget(stackexchangeLimits(baseUrl, key !== undefined))

  async function fetchPage(request: PageRequest): Promise<Page | null> {
    const words = searchWords(request.topic).join(' ')
    if (words === '') return null
    return fetchRoundRobin({
      sources: sites,
      request,
      fetchFrom: (site, cursor) =>
        fetchSite(options, budget, { words, site, page: asPage(cursor, 1), signal: request.signal }),
    })
  }

  return { name: 'stackexchange', fetchPage }
}

interface SiteSearch {
  words: string
  site: string
  page: number
  signal: AbortSignal
}

async function fetchSite(
  { client, clock, baseUrl, key }: StackexchangeOptions,
  budget: Budget,
  { words, site, page, signal }: SiteSearch,
): Promise<SourcePage> {
  const { body } = await client.getJson({
    platform: 'stackexchange',
    url: endpointUrl(baseUrl, '/search/advanced', {
      site,
      q: words,
      ...(isMeta(site) ? { tagged: 'feature-request' } : {}),
      filter: 'withbody',
      sort: 'relevance',
      order: 'desc',
      pagesize: pageSize,
      page,
      ...(key === undefined ? {} : { key }),
    }),
    budget,
    signal,
    readLimits: (answer) => correctStackexchangeBudget(budget, answer, clock.now()),
    readError: (answer) => stackexchangeError(answer, site, clock.now()),
  })
  const answer = asFields(body)
  const items = requiredList(answer?.items, {
    label: 'stackexchange',
    items: 'items',
    variable: 'STACKEXCHANGE_API_URL',
  })
  const hasMore = items.length > 0 && answer?.has_more === true && (key !== undefined || page < lastPageWithoutKey)
  const discarded: Discarded = {}
  return {
    requests: await readItems(items, (question) => readQuestion(question, site), discarded),
    discarded,
    nextCursor: hasMore ? { page: page + 1 } : null,
  }
}

function isMeta(site: string): boolean {
  return site === 'meta' || site === 'stackapps' || site.startsWith('meta.') || site.endsWith('.meta')
}
