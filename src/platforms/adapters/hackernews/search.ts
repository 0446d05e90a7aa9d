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

/** Algolia's internal tags for kind, author and story; `ask_hn` and `show_hn` are real topics. */
const pseudoTag = /^(?:story|comment|poll|pollopt|job|front_page|(?:author|story|poll)_.*)$/
const removedText = /^\[(?:deleted|flagged|dead)\]$/i

/** @returns null without an id, `removed` if deleted or dead. Older bodies have null for missing fields */
function readHit(hit: Fields, webUrl: string): FoundRequest | 'removed' | null {
  const sourceId = asId(hit.objectID)
  if (sourceId === null) return null
  const description = htmlToPlainText([hit.comment_text, hit.story_text].map(asString).find((text) => text) ?? '')
  if (hit.deleted === true || hit.dead === true || removedText.test(description)) return 'removed'
  const author = asName(hit.author)
  // A comment has no title of its own. `url` is the page a story links to, not the story.
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
  baseUrl: string
  webUrl: string
}

/** Up to 1,000 are allowed (algolia/hn-search#125); 100 matches most other platforms. */
const pageSize = 100
/** Topic length in UTF-16 units: with a phrase, it stays below Algolia's 512 bytes per query (Algolia, "query"). */
const topicLimit = 150

/**
 * Stories and comments with every word of the topic and a quoted wish phrase (`GET /search` by relevance, `GET
 * /search_by_date` for new items). Algolia's 1,000 hits per phrase make 40 pages, the maximum depth of a job. Never
 * `numericFilters` on points: a 400 since June 2026.
 */
export function createHackernews({ client, openBudget, baseUrl, webUrl }: HackernewsOptions): Platform {
  // 10,000 requests an hour per address (algolia/hn-search, Api.tsx); answers do not say how many are left.
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
      // The first phrase finds the most wishes. Newest first, phrases rotate, because a watch may fetch only one page.
      ...(request.newestSince ? {} : { firstSource: 0 }),
      fetchFrom: (phrase, cursor) => fetchPhrase(`${words} "${phrase}"`, asPage(cursor, 0), request),
    })
  }

  return { name: 'hackernews', fetchPage }
}
