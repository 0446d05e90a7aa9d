import type { Budget } from '../../budget/budget.ts'
import type { Answer } from '../../client/messages.ts'
import { addDiscarded, readItems } from '../../content/items.ts'
import type { AdapterDependencies } from '../../definition.ts'
import { type Page, type PageRequest, type Platform, PlatformError, SourceRefusedError } from '../../platform.ts'
import { searchWords } from '../../topic-words.ts'
import { createNamedHosts } from '../named-hosts.ts'
import { fetchRoundRobin, type SourcePage } from '../round-robin.ts'
import { checkSource } from '../source-check.ts'
import { decodeFeed } from './decode.ts'
import { type Feed, type FeedItem, maxFeedBytes, readFeedBounded } from './feed.ts'
import { readFeedItem, sharedIds } from './post.ts'
import { feedName, rssSources } from './source.ts'

export interface RssOptions extends AdapterDependencies {
  /** Addresses of feeds, read round-robin; each is one page. */
  urls: readonly string[]
}

/** Maximum body of an account-named feed during verification. */
const maxForeignBytes = 2 * 1024 * 1024

/** Feeds have no common limit; polling once a minute is already frequent. Feeds of one host share its budget. */
const windows = [{ limit: 20, windowMs: 60_000 }]

const accept =
  'application/atom+xml, application/rss+xml, application/feed+json, application/xml;q=0.9, text/xml;q=0.9, application/json;q=0.8, */*;q=0.1'

const hostOf = (address: string): string => new URL(address).host

/** 410: the feed ended. 401, 403: it is not public. */
function feedError({ status }: Answer, label: string, advice: string): PlatformError | null {
  if (status === 401) return new PlatformError('unauthorized', `${label} asks for a password. ${advice}`)
  if (status === 404 || status === 410) return new SourceRefusedError(`${label} is here no more. ${advice}`)
  return null
}

function refusedText(text: string, label: string, advice: string): SourceRefusedError {
  const isPage = /^[\s\ufeff]*(?:<!--[\s\S]{0,500}?-->\s*)?<(?:!doctype\s+html|html|head|body)\b/i.test(text)
  const found = isPage
    ? 'is a web page, not a feed. Find the address of its feed there.'
    : 'answered no feed that can be read.'
  return new SourceRefusedError(`${label} ${found} ${advice}`)
}

/**
 * The newest items of the configured feeds, matched against the topic here because feeds have no search. Only one page:
 * a feed could name any address as its next one. Items that leave a feed stay stored.
 */
export function createRss({ client, clock, openBudget, ...options }: RssOptions): Platform {
  // Normalized, because ids contain them.
  const urls = options.urls.map((url) => rssSources.normalise(url) ?? url)
  const budgetOf = createNamedHosts<Budget>({
    clock,
    listed: urls.map(hostOf),
    open: (name, isForeign) => openBudget({ name, windows, concurrency: 1, isUnlisted: isForeign }),
    budgetsOf: (budget) => [budget],
    what: 'hosts of feeds',
  })
  const listed = new Set(urls)
  const isForeign = (address: string, isNamed: boolean) => isNamed && !listed.has(address)

  async function fetchFeed(
    address: string,
    isNamed: boolean,
    signal: AbortSignal,
    maxBodyBytes = maxFeedBytes,
  ): Promise<Feed> {
    const label = `rss (${feedName(address)})`
    const advice = isNamed ? 'Name another source.' : 'Check RSS_URLS.'
    const { body } = await client.getJson({
      platform: 'rss',
      label,
      url: new URL(address),
      headers: { accept },
      budget: budgetOf(hostOf(address)),
      signal,
      isForeign: isForeign(address, isNamed),
      maxBodyBytes,
      parseBody: decodeFeed,
      readError: (answer) => feedError(answer, label, advice),
    })
    const text = String(body)
    const feed = await readFeedBounded({ source: text, address }, signal)
    if (feed === null) throw refusedText(text, label, advice)
    return feed
  }

  async function fetchItems(address: string, { sources, signal }: PageRequest): Promise<SourcePage> {
    const isNamed = sources !== undefined
    const feed = await fetchFeed(address, isNamed, signal)
    const context = { feed, address, shared: sharedIds(feed.items), known: new Set<string>(), now: clock.now() }
    const read = await readItems(feed.items, (item) => readFeedItem(item as unknown as FeedItem, context))
    const { requests } = read
    const discarded = addDiscarded(read.discarded, { beyondLimit: feed.leftOut })
    return { requests, discarded, nextCursor: null }
  }

  return {
    name: 'rss',
    async fetchPage(request: PageRequest): Promise<Page | null> {
      if (searchWords(request.topic).length === 0) return null
      const sources = request.sources ?? urls
      return fetchRoundRobin({
        sources,
        request,
        hostOf,
        fetchFrom: (address) => fetchItems(address, request),
      })
    },
    verifySource: (source, signal) => checkSource(() => fetchFeed(source, true, signal, maxForeignBytes)),
  }
}
