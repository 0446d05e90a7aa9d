import { asDate, asEpochSeconds, asFields, asInteger, asPage } from '../../content/fields.ts'
import { readItems } from '../../content/items.ts'
import type { AdapterDependencies } from '../../definition.ts'
import type { Page, PageRequest, Platform } from '../../platform.ts'
import { reachesOlder } from '../newest-first.ts'
import { quotedWords } from '../quoted-words.ts'
import { requiredList } from '../required-list.ts'
import { fetchRoundRobin, type SourcePage } from '../round-robin.ts'
import { wishPhrases } from '../wish-phrases.ts'
import { createHackernewsCall } from './call.ts'
import { readHit } from './post.ts'

export interface HackernewsOptions extends Pick<AdapterDependencies, 'client' | 'openBudget'> {
  /** `https://hn.algolia.com/api/v1`. */
  baseUrl: string
  /** `https://news.ycombinator.com`. */
  webUrl: string
}

/** Up to 1,000 are allowed (algolia/hn-search issue 125); 100 is the page size of most other platforms. */
const pageSize = 100
/** Of the topic in a query, in UTF-16 units: with a phrase it stays below the 512 bytes of a query (Algolia, "query"). */
const topicLimit = 150

/**
 * Stories and comments of Hacker News with every word of the topic and one of the wish phrases (`wish-phrases.ts`)
 * (`GET /search`, by relevance; `GET /search_by_date` for what is new), each in quotes. Algolia's limit of 1,000 hits for each phrase makes 40 pages, the maximum depth of a job.
 * Never `numericFilters` on points: since June 2026 they are refused with a 400.
 */
export function createHackernews({ client, openBudget, baseUrl, webUrl }: HackernewsOptions): Platform {
  // 10,000 requests an hour for each address (algolia/hn-search, Api.tsx); its answers do not say what is left.
  const name = new URL(baseUrl).host
  const budget = openBudget({ name, windows: [{ limit: 10_000, windowMs: 3_600_000 }], concurrency: 3 })
  const call = createHackernewsCall({ client, budget, baseUrl })

  async function fetchPhrase(query: string, page: number, request: PageRequest): Promise<SourcePage> {
    const { signal, newestSince } = request
    const body = await call({ query, tags: '(story,comment)', hitsPerPage: pageSize, page }, signal, newestSince)
    const answer = asFields(body)
    const hits = requiredList(answer?.hits, { label: 'hackernews', items: 'hits', variable: 'HACKERNEWS_API_URL' })
    const pageCount = asInteger(answer?.nbPages)
    const hasMore = hits.length > 0 && (pageCount === null ? hits.length >= pageSize : page + 1 < pageCount)
    const isOver = reachesOlder(hits, (hit) => asEpochSeconds(hit.created_at_i) ?? asDate(hit.created_at), newestSince)
    const { requests, discarded } = await readItems(hits, (hit) => readHit(hit, webUrl))
    return { requests, discarded, nextCursor: hasMore && !isOver ? { page: page + 1 } : null }
  }

  async function fetchPage(request: PageRequest): Promise<Page | null> {
    const words = quotedWords(request.topic, topicLimit)
    if (words === '') return null
    return fetchRoundRobin({
      sources: wishPhrases,
      request,
      // The first phrase first, because it finds the most wishes. Newest first the phrases take turns: a run of a watch may have one page only.
      ...(request.newestSince ? {} : { firstSource: 0 }),
      fetchFrom: (phrase, cursor) => fetchPhrase(`${words} "${phrase}"`, asPage(cursor, 0), request),
    })
  }

  return { name: 'hackernews', fetchPage }
}
