import type { Discarded } from '../../../database/column-types.ts'
import type { Budget, BudgetLimits } from '../../budget/budget.ts'
import { endpointUrl } from '../../client/client.ts'
import { asFields, asList, asPage, readItems } from '../../content/fields.ts'
import type { AdapterDependencies } from '../../definition.ts'
import type { Json, Page, PageRequest, Platform } from '../../platform.ts'
import { searchWords } from '../../topic-words.ts'
import { requiredList } from '../required-list.ts'
import { fetchRoundRobin, type SourcePage } from '../round-robin.ts'
import { wishPhrases } from '../wish-phrases.ts'
import { lemmyError } from './errors.ts'
import { readPostView } from './post.ts'

export interface LemmyOptions extends AdapterDependencies {
  /** The base addresses of the instances, searched round-robin, a page each. */
  urls: readonly string[]
}

/** The maximum of an instance; a larger one is a 400. */
const pageSize = 50

/** One instance, searched for one phrase. */
interface Source {
  baseUrl: string
  /** Of the instance. */
  name: string
  phrase: string
  /** Shared by all phrases of the instance. */
  budget: Budget
}

/** The default limit for an address: 60 searches in 10 minutes (table local_site_rate_limit). No answer states it. */
const lemmyLimits = (name: string): BudgetLimits => ({
  name,
  windows: [{ limit: 60, windowMs: 600_000 }],
  concurrency: 1,
})

/**
 * Posts that the configured instances hold, with one of the wish phrases (`wish-phrases.ts`) followed by the words of the topic
 * (`GET /api/v3/search`, 50 a page, the most votes first).
 *
 * Lemmy's search is one pattern over title or body: a space stands for anything in between, the order counts, and a quote is
 * an ordinary character (`fuzzy_search`). People write the wish first ("I wish it had dark mode", "[Feature request] Dark
 * mode"), and so does the query. It has no operators. Because it begins with a phrase, Lemmy never takes a topic for an
 * address or `!name@host` to look up.
 */
export function createLemmy(options: LemmyOptions): Platform {
  const { urls, openBudget } = options
  const sources = createSources(urls, openBudget)

  async function fetchPage(request: PageRequest): Promise<Page | null> {
    const words = searchWords(request.topic).join(' ')
    if (words === '') return null
    return fetchRoundRobin({
      sources: [...sources.keys()],
      request,
      // Each job begins at another instance, always with the first phrase.
      firstSource: urls.length === 0 ? 0 : request.pagesBefore % urls.length,
      hostOf: (key) => sources.get(key)!.name,
      fetchFrom: (key, cursor) => fetchSource(options, sources.get(key)!, words, cursor, request.signal),
    })
  }

  return { name: 'lemmy', fetchPage }
}

/** Every instance with every phrase, all instances with the first phrase before any with the second. */
function createSources(urls: readonly string[], openBudget: LemmyOptions['openBudget']): Map<string, Source> {
  const budgets = new Map<string, Budget>()
  for (const name of urls.map(nameOf)) if (!budgets.has(name)) budgets.set(name, openBudget(lemmyLimits(name)))
  const sources = new Map<string, Source>()
  for (const phrase of wishPhrases) {
    for (const baseUrl of urls) {
      const name = nameOf(baseUrl)
      sources.set(`${baseUrl} ${phrase}`, { baseUrl, name, phrase, budget: budgets.get(name)! })
    }
  }
  return sources
}

async function fetchSource(
  { client, clock }: LemmyOptions,
  source: Source,
  words: string,
  cursor: Json,
  signal: AbortSignal,
): Promise<SourcePage> {
  const label = `lemmy (${source.name})`
  const page = asPage(cursor, 1)
  const { body } = await client.getJson({
    platform: 'lemmy',
    label,
    url: endpointUrl(source.baseUrl, '/api/v3/search', {
      q: `${source.phrase} ${words}`,
      type_: 'Posts',
      listing_type: 'All',
      sort: 'TopAll',
      limit: pageSize,
      page,
    }),
    budget: source.budget,
    signal,
    readError: (answer) => lemmyError(answer, label, clock.now()),
  })
  const answer = asFields(body)
  // Version 4 of the API calls the list `search`.
  const list = asList(answer?.posts) ?? answer?.search
  const posts = requiredList(list, { label, items: 'posts', variable: 'LEMMY_URLS' })
  const discarded: Discarded = {}
  const requests = await readItems(posts, readPostView, discarded)
  // There is no total, and some instances answer every page number with the same page.
  const first = fingerprintOf(posts)
  const isRepeated = first !== null && first === asFields(cursor)?.first
  const hasMore = posts.length >= pageSize && !isRepeated
  return { requests, discarded, nextCursor: hasMore ? { page: page + 1, first } : null }
}

function nameOf(baseUrl: string): string {
  const { host, pathname } = new URL(baseUrl)
  return `${host}${pathname.replace(/\/+$/, '')}`
}

/** The identity of the first post of a page: it differs from page to page. */
function fingerprintOf(posts: unknown[]): string | null {
  const post = asFields(asFields(posts[0])?.post)
  return (
    post &&
    JSON.stringify([post.ap_id ?? null, post.id ?? null])
      .slice(0, 300)
      .toWellFormed()
  )
}
