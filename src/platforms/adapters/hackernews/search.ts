import type { OpenBudget } from '../../budget/budget.ts'
import { endpointUrl, type PlatformClient } from '../../client/client.ts'
import {
  asDate,
  asEpochSeconds,
  asFields,
  asId,
  asInteger,
  asList,
  asName,
  asPage,
  asString,
  type Fields,
  foundRequest,
  readItems,
} from '../../content/fields.ts'
import { cleanTags, htmlToPlainText, plainTitle } from '../../content/text.ts'
import { type FoundRequest, type Page, type PageRequest, type Platform, PlatformError } from '../../platform.ts'
import { searchWords } from '../../topic-words.ts'
import { fetchRoundRobin, type SourcePage } from '../round-robin.ts'
import { wishPhrases } from '../wish-phrases.ts'

export interface HackernewsOptions {
  client: PlatformClient
  openBudget: OpenBudget
  /** `https://hn.algolia.com/api/v1`. */
  baseUrl: string
}

/** Up to 1,000 are allowed (algolia/hn-search issue 125); 100 keeps a page as large as on the other platforms. */
const pageSize = 100

/**
 * Stories and comments of Hacker News with every word of the topic and one of the phrases of wishing (wishing.ts)
 * (`GET /search`, by relevance). With 1,000 hits for each phrase (Algolia's limit) that is 40 pages, as deep as a job can go. Never `numericFilters` on points: since June 2026 they are refused with a 400.
 */
export function createHackernews({ client, openBudget, baseUrl }: HackernewsOptions): Platform {
  // 10,000 requests an hour for each address (algolia/hn-search, Api.tsx); its answers say nothing about what is left.
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
    const hits = asList(answer?.hits)
    if (!hits)
      throw new PlatformError('bad_response', 'hackernews answered without a list of hits. Check HACKERNEWS_API_URL.')
    const pageCount = asInteger(answer?.nbPages)
    const hasMore = hits.length > 0 && (pageCount === null ? hits.length >= pageSize : page + 1 < pageCount)
    return { requests: await readItems(hits, readHit), nextCursor: hasMore ? { page: page + 1 } : null }
  }

  async function fetchPage(request: PageRequest): Promise<Page | null> {
    const words = searchWords(request.topic).join(' ')
    if (words === '') return null
    return fetchRoundRobin({
      sources: wishPhrases,
      request,
      // Always the most telling phrase first: these are words, not places that each deserve their turn.
      firstSource: 0,
      fetchFrom: (phrase, cursor) => fetchPhrase(words, phrase, asPage(cursor, 0), request.signal),
    })
  }

  return { name: 'hackernews', fetchPage }
}

/** Newer bodies leave out what a hit does not have, older ones say null; both are read the same. */
function readHit(hit: Fields): FoundRequest | null {
  const sourceId = asId(hit.objectID)
  if (sourceId === null) return null
  const author = asName(hit.author)
  const text = [hit.comment_text, hit.story_text].map(asString).find((candidate) => candidate) ?? ''
  // A comment has no title of its own. `url` is the link that a story is about, not the story.
  const title = [hit.title, hit.story_title].map(asString).find((candidate) => candidate) ?? ''
  return foundRequest({
    sourceId,
    sourceUrl: `https://news.ycombinator.com/item?id=${encodeURIComponent(sourceId)}`,
    title: plainTitle(title),
    description: htmlToPlainText(text),
    votes: asInteger(hit.points) ?? 0,
    tags: cleanTags((asList(hit._tags) ?? []).filter((tag) => !/^(author|story|poll)_/.test(asString(tag) ?? ''))),
    commentCount: asInteger(hit.num_comments),
    authorHandle: author,
    authorProfileUrl: author && `https://news.ycombinator.com/user?id=${encodeURIComponent(author)}`,
    originalCreatedAt: asDate(hit.created_at) ?? asEpochSeconds(hit.created_at_i),
  })
}
