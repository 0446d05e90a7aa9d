import { sql } from 'kysely'
import { counted } from '../../accounts/events/message.ts'
import { hasOwnView, ownViewColumns } from '../../accounts/keys.ts'
import type { PlatformName } from '../../database/column-types.ts'
import type { Database, Executor } from '../../database/open.ts'
import { watchLink, wishLink } from '../../http/addresses.ts'
import { publicPagesOf } from '../../platforms/registry.ts'
import { platformTitle } from '../../platforms/titles.ts'
import { parseBodyFilters } from '../../requests/filters/filters.ts'
import type { RequestRecord } from '../../requests/record.ts'
import { correctionHash } from '../../requests/store/standings.ts'
import { listRequests } from '../../search/list/list.ts'
import { searchFull } from '../../search/query-search.ts'
import type { SearchIndex } from '../../search/search-index.ts'
import { type FeedNewsItem, readFeedNews, readFeedRises } from '../../watches/news/read-report.ts'
import { riseInWords, topicRiseInWords } from '../../watches/news/rise-words.ts'
import { withStars } from '../../wishes/wish-words.ts'
import type { Feed } from './feeds.ts'

export const maxEntries = 50
/** Filtered lists may have short pages. */
const maxPages = 3

export interface FeedEntry {
  id: string
  title: string
  text: string
  url: string
  sourceUrl: string | null
  author: string | null
  published: Date
  updated: Date
  tags: string[]
}

export interface FeedContent {
  id: string
  title: string
  /** What is left out; null if nothing. */
  subtitle: string | null
  url: string
  updated: Date
  entries: FeedEntry[]
}

export interface ContentDependencies {
  database: Database
  searchIndex: SearchIndex
  publicUrl: string
}

/** A permanent id (RFC 4151). */
const tag = ({ authority }: Feed, specific: string) => `tag:${authority},2026:${specific}`

const words = (facts: readonly (string | null)[]) => facts.filter((fact) => fact !== null && fact !== '').join(' · ')

const webAddress = (text: string): string | null => {
  const url = URL.parse(text)
  return url !== null && /^https?:$/.test(url.protocol) ? url.href : null
}

/** Feeds are read by programs and services of others, so the rules for public pages apply. */
const showsTexts = (platform: string) => publicPagesOf(platform as PlatformName).show === 'texts'

interface Post {
  /** Identifies a request even after it expired and was collected again. */
  hash: string
  platform: string
}

async function readPosts(executor: Executor, ids: readonly string[]): Promise<Map<string, Post>> {
  if (ids.length === 0) return new Map()
  const { rows } = await sql<{ id: string; platform: string; source_id: string }>`
    select id, platform, source_id from requests where id = any(${[...ids]}::uuid[])`.execute(executor)
  return new Map(
    rows.map(({ id, platform, source_id }) => [id, { hash: correctionHash(platform, source_id), platform }]),
  )
}

function toEntry(feed: Feed, record: RequestRecord, hash: string, publicUrl: string): FeedEntry {
  const { originalCreatedAt, createdAt, statusChangedAt } = record
  const published = new Date(originalCreatedAt ?? createdAt)
  const changed = statusChangedAt === null ? published : new Date(statusChangedAt)
  const status = record.status?.replaceAll('_', ' ') ?? null
  const votes = withStars(counted(record.votes, 'vote'), record.stars)
  const facts = words([votes, record.sourcePlatform, record.sourceName, status])
  const isShown = showsTexts(record.sourcePlatform)
  return {
    id: tag(feed, `request/${hash}`),
    title: isShown ? record.title : `A request on ${platformTitle(record.sourcePlatform)}`,
    text:
      record.description === '' || !isShown
        ? facts
        : `${facts}\n\n${record.description}${record.descriptionTruncated ? ' …' : ''}`,
    url: wishLink(publicUrl, record.wish?.wishId ?? record._id),
    sourceUrl: webAddress(record.sourceUrl),
    author: isShown ? (record.authorName ?? record.authorHandle) : null,
    published,
    updated: changed > published ? changed : published,
    tags: isShown ? record.tags.slice(0, 20) : [],
  }
}

async function toEntries(feed: Feed, records: readonly RequestRecord[], { database, publicUrl }: ContentDependencies) {
  const posts = await readPosts(
    database,
    records.map(({ _id }) => _id),
  )
  // Purged between the two statements.
  return records.flatMap((record) => {
    const post = posts.get(record._id)
    return post === undefined ? [] : [toEntry(feed, record, post.hash, publicUrl)]
  })
}

interface Reader {
  accountId: string
  hasOwnView: boolean
}

type Found = Pick<FeedContent, 'entries' | 'subtitle'>

async function readTopicEntries(feed: Feed, reader: Reader, dependencies: ContentDependencies): Promise<Found> {
  const filters = { ...parseBodyFilters(feed.filters ?? {}, reader), topic: feed.topic ?? '' }
  const records: RequestRecord[] = []
  let cursor: string | undefined
  for (let page = 0; page < maxPages; page++) {
    const limit = maxEntries - records.length
    const found = await listRequests(dependencies.database, {
      ...filters,
      sortBy: 'new',
      limit,
      cursor,
      fullText: false,
    })
    records.push(...found.results)
    cursor = found.cursor ?? undefined
    if (cursor === undefined || records.length >= maxEntries) break
  }
  return { entries: await toEntries(feed, records, dependencies), subtitle: null }
}

async function readSearchEntries(feed: Feed, reader: Reader, dependencies: ContentDependencies): Promise<Found> {
  const { database, searchIndex } = dependencies
  const filters = parseBodyFilters(feed.filters ?? {}, reader)
  const input = { query: feed.query ?? '', offset: 0, limit: maxEntries, filters, sortBy: 'new' as const }
  const { results, beyond, inPart } = await searchFull(searchIndex, database, input)
  const some = `${counted(inPart.total, 'request')}${inPart.totalIsExact ? '' : ' or more'} with some of the words, but not all, ${inPart.total === 1 ? 'is' : 'are'} not here.`
  const more = `${counted(beyond, 'more request')} that ${beyond === 1 ? 'matches is' : 'match are'} not here: a feed has the newest ${maxEntries}.`
  const subtitle = [
    ...(results.length === 0 ? ['No request matches.'] : []),
    ...(beyond === 0 ? [] : [more]),
    ...(inPart.total === 0 ? [] : [some]),
  ]
  return { entries: await toEntries(feed, results, dependencies), subtitle: subtitle.join(' ') || null }
}

const newsTitle = ({ kind, title, votesGained, requestsGained, rise }: FeedNewsItem): string => {
  if (kind === 'new') return `New: ${title}`
  if (rise !== null) return `Rising, ${riseInWords(rise)}: ${title}`
  if (kind !== 'grown') return `${kind === 'completed' ? 'Completed' : 'Declined'}: ${title}`
  const gained = [
    ...(votesGained > 0 ? [`+${counted(votesGained, 'vote')}`] : []),
    ...(requestsGained > 0 ? [`+${counted(requestsGained, 'request')}`] : []),
  ]
  return `${gained.join(', ')}: ${title}`
}

async function readWatchEntries(feed: Feed, reader: Reader, dependencies: ContentDependencies): Promise<Found> {
  const { database, publicUrl } = dependencies
  const view = { account: reader.hasOwnView ? reader.accountId : null, least: 2 as const }
  const only = { watchId: feed.watch_id ?? '', limit: maxEntries }
  const entryAt = (readyAt: Date, told: Pick<FeedEntry, 'id' | 'title' | 'text' | 'url'>): FeedEntry => ({
    ...told,
    sourceUrl: null,
    author: null,
    published: readyAt,
    updated: readyAt,
    tags: [],
  })
  const rises = (await readFeedRises(database, only)).map(({ reportId, readyAt, topic, rise }) =>
    entryAt(readyAt, {
      id: tag(feed, `news/${reportId}/topic`),
      title: `Rising, ${riseInWords(rise)}: ${topic}`,
      text: topicRiseInWords(topic, rise),
      url: watchLink(publicUrl, only.watchId),
    }),
  )
  const news = await readFeedNews(database, { ...only, view, publicUrl })
  const posts = await readPosts(
    database,
    news.map(({ requestId }) => requestId),
  )
  const items = news.map((item) => {
    const platform = posts.get(item.requestId)?.platform ?? ''
    const title = showsTexts(platform) ? item.title : `A wish on ${platformTitle(platform)}`
    const status = item.status?.replaceAll('_', ' ') ?? null
    return entryAt(item.readyAt, {
      id: tag(feed, `news/${item.stored.reportId}/${item.kind}/${item.stored.wishId}`),
      title: newsTitle({ ...item, title }),
      text: words([counted(item.votes, 'vote'), item.platforms.join(', '), status]),
      url: item.url,
    })
  })
  const entries = [...rises, ...items].sort((a, b) => b.published.getTime() - a.published.getTime())
  return { entries: entries.slice(0, maxEntries), subtitle: null }
}

const readers = { topic: readTopicEntries, search: readSearchEntries, watch: readWatchEntries }

function pageUrl({ kind, topic, query, watch_id: watchId }: Feed, publicUrl: string): string {
  if (kind === 'topic') return `${publicUrl}/topics/one?${new URLSearchParams({ topic: topic ?? '' })}`
  if (kind === 'search') return `${publicUrl}/?${new URLSearchParams({ q: query ?? '' })}`
  return watchLink(publicUrl, watchId ?? '')
}

/** Reads what a feed shows now; null if its account is deleted. */
export async function readContent(feed: Feed, dependencies: ContentDependencies): Promise<FeedContent | null> {
  const { database, publicUrl } = dependencies
  const account = await database
    .selectFrom('accounts')
    .select([...ownViewColumns])
    .where('id', '=', feed.account_id)
    .where('deleted_at', 'is', null)
    .executeTakeFirst()
  if (account === undefined) return null
  const reader = { accountId: feed.account_id, hasOwnView: hasOwnView(account) }
  const { entries, subtitle } = await readers[feed.kind](feed, reader, dependencies)
  const latest = Math.max(feed.created_at.getTime(), ...entries.map(({ updated }) => updated.getTime()))
  return {
    id: tag(feed, `feed/${feed.id}`),
    title: feed.name,
    subtitle,
    url: pageUrl(feed, publicUrl),
    updated: new Date(latest),
    entries,
  }
}
