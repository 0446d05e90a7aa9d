import type { Discarded } from '../../../database/column-types.ts'
import { endpointUrl } from '../../client/client.ts'
import { asFields, asInteger, asPage, readItems } from '../../content/fields.ts'
import type { AdapterDependencies } from '../../definition.ts'
import { type Page, type PageRequest, type Platform, PlatformError } from '../../platform.ts'
import { searchWords } from '../../topic-words.ts'
import { requiredList } from '../required-list.ts'
import { fetchRoundRobin, type SourcePage } from '../round-robin.ts'
import { wishPhrases } from '../wish-phrases.ts'
import { readHit } from './post.ts'

export interface HackernewsOptions extends Pick<AdapterDependencies, 'client' | 'openBudget'> {
  /** `https://hn.algolia.com/api/v1`. */
  baseUrl: string
}

/** Up to 1,000 are allowed (algolia/hn-search issue 125); 100 is the page size of most other platforms. */
const pageSize = 100

/**
 * Stories and comments of Hacker News with every word of the topic and one of the wish phrases (`wish-phrases.ts`)
 * (`GET /search`, by relevance). Algolia's limit of 1,000 hits for each phrase makes 40 pages, the maximum depth of a job.
 * Never `numericFilters` on points: since June 2026 they are refused with a 400.
 */
export function createHackernews({ client, openBudget, baseUrl }: HackernewsOptions): Platform {
  // 10,000 requests an hour for each address (algolia/hn-search, Api.tsx); its answers do not say what is left.
  const name = new URL(baseUrl).host
  const budget = openBudget({ name, windows: [{ limit: 10_000, windowMs: 3_600_000 }], concurrency: 3 })

  async function fetchPhrase(words: string, phrase: string, page: number, signal: AbortSignal): Promise<SourcePage> {
    const { body } = await client.getJson({
      platform: 'hackernews',
      url: endpointUrl(baseUrl, '/search', {
        query: `${words} "${phrase}"`,
        tags: '(story,comment)',
        hitsPerPage: pageSize,
        page,
      }),
      budget,
      signal,
      readError: ({ status }) =>
        status === 400 ? new PlatformError('bad_response', 'hackernews refused the query (400).') : null,
    })
    const answer = asFields(body)
    const hits = requiredList(answer?.hits, { label: 'hackernews', items: 'hits', variable: 'HACKERNEWS_API_URL' })
    const pageCount = asInteger(answer?.nbPages)
    const hasMore = hits.length > 0 && (pageCount === null ? hits.length >= pageSize : page + 1 < pageCount)
    const discarded: Discarded = {}
    return {
      requests: await readItems(hits, readHit, discarded),
      discarded,
      nextCursor: hasMore ? { page: page + 1 } : null,
    }
  }

  async function fetchPage(request: PageRequest): Promise<Page | null> {
    const words = searchWords(request.topic).join(' ')
    if (words === '') return null
    return fetchRoundRobin({
      sources: wishPhrases,
      request,
      // Always the first phrase first, because it finds the most wishes; no phrase has a claim to be first.
      firstSource: 0,
      fetchFrom: (phrase, cursor) => fetchPhrase(words, phrase, asPage(cursor, 0), request.signal),
    })
  }

  return { name: 'hackernews', fetchPage }
}
