import { asPage } from '../../content/fields.ts'
import { readItems } from '../../content/items.ts'
import type { AdapterDependencies } from '../../definition.ts'
import type { Json, Page, PageRequest, Platform } from '../../platform.ts'
import { searchWords } from '../../topic-words.ts'
import { reachesOlder } from '../newest-first.ts'
import { fetchRoundRobin, type SourcePage } from '../round-robin.ts'
import { storeWindows } from './lookup.ts'
import { type Asked, createReader } from './reader.ts'
import { readReview, reviewedAt } from './review.ts'
import { appOf, appstoreSources } from './source.ts'

export interface AppstoreOptions extends AdapterDependencies {
  baseUrl: string
  apps: readonly string[]
}

/**
 * The newest reviews of the configured apps (`/{country}/rss/customerreviews/`, at most 10 pages of 50), matched
 * against the topic here because reviews have no search. Known reviews cannot be read again.
 */
export function createAppstore({ client, clock, openBudget, baseUrl, ...options }: AppstoreOptions): Platform {
  const budget = openBudget({ name: new URL(baseUrl).host, windows: storeWindows, concurrency: 1 })
  const apps = options.apps.map((app) => appstoreSources.normalise(app) ?? app)
  const reader = createReader(clock)

  const askedFor = (source: string, page: number, isNamed: boolean, signal: AbortSignal): Asked => ({
    call: { client, budget, baseUrl, signal },
    app: appOf(source),
    page,
    advice: isNamed ? 'Name another source.' : 'Check APPSTORE_APPS.',
  })

  async function fetchFrom(source: string, cursor: Json, request: PageRequest): Promise<SourcePage> {
    const isNamed = request.sources !== undefined
    const asked = askedFor(source, asPage(cursor, 1), isNamed, request.signal)
    const { reviews, hasNext } = await reader.readPage(asked)
    const name = reviews.length === 0 ? null : await reader.nameOf(asked)
    const { requests, discarded } = await readItems(reviews, (review) => readReview(review, asked.app, name))
    const isOver = !hasNext || reachesOlder(reviews, reviewedAt, request.newestSince)
    return {
      requests,
      discarded,
      nextCursor: isOver ? null : { page: asked.page + 1 },
    }
  }

  return {
    name: 'appstore',
    async fetchPage(request: PageRequest): Promise<Page | null> {
      if (searchWords(request.topic).length === 0) return null
      return fetchRoundRobin({
        sources: request.sources ?? apps,
        request,
        fetchFrom: (source, cursor) => fetchFrom(source, cursor, request),
      })
    },
    verifySource: async (source, signal) => {
      await reader.factsOf(askedFor(source, 1, true, signal))
    },
  }
}
