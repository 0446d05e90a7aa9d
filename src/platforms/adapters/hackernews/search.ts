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
} from '../../content/fields.ts'
import { readItems, requiredList } from '../../content/items.ts'
import { cleanTags, htmlToPlainText, plainTitle } from '../../content/text.ts'
import type { AdapterDependencies } from '../../definition.ts'
import type { FoundRequest, Page, PageRequest, Platform } from '../../platform.ts'
import { quotedWords } from '../../topic-words.ts'
import { reachesOlder } from '../newest-first.ts'
import { fetchRoundRobin, type SourcePage } from '../round-robin.ts'
import { wishPhrases } from '../wish-phrases.ts'
import { createHackernewsCall } from './call.ts'

/** What Algolia's index marks an item with to search for its kind, author or story; `ask_hn` and `show_hn` say what it is about. */
const pseudoTag = /^(?:story|comment|poll|pollopt|job|front_page|(?:author|story|poll)_.*)$/
const removedText = /^\[(?:deleted|flagged|dead)\]$/i

/**
 * A story or comment; null without an id, `removed` for one that is deleted or dead. Newer bodies leave out a missing field,
 * older ones have null.
 */
function readHit(hit: Fields, webUrl: string): FoundRequest | 'removed' | null {
  const sourceId = asId(hit.objectID)
  if (sourceId === null) return null
  const description = htmlToPlainText([hit.comment_text, hit.story_text].map(asString).find((text) => text) ?? '')
  if (hit.deleted === true || hit.dead === true || removedText.test(description)) return 'removed'
  const author = asName(hit.author)
  // A comment has no title of its own. `url` is the page that a story links to, not the story.
  const title = [hit.title, hit.story_title].map(asString).find((candidate) => candidate) ?? ''
  return foundRequest({
    sourceId,
    sourceUrl: `${webUrl}/item?id=${encodeURIComponent(sourceId)}`,
    title: plainTitle(title),
    description,
    votes: hit.points,
    tags: cleanTags((asList(hit._tags) ?? []).filter((tag) => !pseudoTag.test(asString(tag) ?? ''))),
    commentCount: hit.num_comments,
    authorHandle: author,
    authorProfileUrl: author && `${webUrl}/user?id=${encodeURIComponent(author)}`,
    originalCreatedAt: asDate(hit.created_at) ?? asEpochSeconds(hit.created_at_i),
  })
}

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
