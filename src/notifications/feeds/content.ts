import { sql } from 'kysely'
import { counted } from '../../accounts/events/message.ts'
import { hasOwnView, ownViewColumns } from '../../accounts/keys.ts'
import type { Database, Executor } from '../../database/open.ts'
import { watchLink, wishLink } from '../../http/addresses.ts'
import { parseBodyFilters } from '../../requests/filters/filters.ts'
import type { RequestRecord } from '../../requests/record.ts'
import { correctionHash } from '../../requests/views/standings.ts'
import { listRequests } from '../../search/list/list.ts'
import { searchQuery } from '../../search/query-search.ts'
import type { SearchIndex } from '../../search/search-index.ts'
import { type FeedNewsItem, readFeedNews, readFeedRises } from '../../watches/news/read-report.ts'
import { riseInWords, topicRiseInWords } from '../../watches/news/rise-words.ts'
import type { Feed } from './feeds.ts'

/** The maximum of entries of a feed. */
export const maxEntries = 50
/** A list with filters may have short pages. */
const maxPages = 3

export interface FeedEntry {
  id: string
  title: string
  /** Plain text. */
  text: string
  /** On the page. */
  url: string
  /** Where it was posted. */
  sourceUrl: string | null
  author: string | null
  published: Date
  updated: Date
  tags: string[]
}

export interface FeedContent {
  id: string
  title: string
  /** On the page. */
  url: string
  updated: Date
  entries: FeedEntry[]
}

export interface ContentDependencies {
  database: Database
  searchIndex: SearchIndex
  publicUrl: string
}

/** An id that stays the same for ever (RFC 4151). */
const tag = ({ authority }: Feed, specific: string) => `tag:${authority},2026:${specific}`

const words = (facts: readonly (string | null)[]) => facts.filter((fact) => fact !== null && fact !== '').join(' · ')

const webAddress = (text: string): string | null => {
  const url = URL.parse(text)
  return url !== null && /^https?:$/.test(url.protocol) ? url.href : null
}

/** By what a request is the same after it has expired and was collected again. */
async function readHashes(executor: Executor, ids: readonly string[]): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map()
  const { rows } = await sql<{ id: string; platform: string; source_id: string }>`
    select id, platform, source_id from requests where id = any(${[...ids]}::uuid[])`.execute(executor)
  return new Map(rows.map(({ id, platform, source_id }) => [id, correctionHash(platform, source_id)]))
}

function toEntry(feed: Feed, record: RequestRecord, hash: string, publicUrl: string): FeedEntry {
  const { originalCreatedAt, createdAt, statusChangedAt } = record
  const published = new Date(originalCreatedAt ?? createdAt)
  const changed = statusChangedAt === null ? published : new Date(statusChangedAt)
  const status = record.status?.replaceAll('_', ' ') ?? null
  const facts = words([counted(record.votes, 'vote'), record.sourcePlatform, record.sourceName, status])
  return {
    id: tag(feed, `request/${hash}`),
    title: record.title,
    text:
      record.description === '' ? facts : `${facts}\n\n${record.description}${record.descriptionTruncated ? ' …' : ''}`,
    url: wishLink(publicUrl, record.wish?.wishId ?? record._id),
    sourceUrl: webAddress(record.sourceUrl),
    author: record.authorName ?? record.authorHandle,
    published,
    updated: changed > published ? changed : published,
    tags: record.tags.slice(0, 20),
  }
}

async function toEntries(feed: Feed, records: readonly RequestRecord[], { database, publicUrl }: ContentDependencies) {
  const hashes = await readHashes(
    database,
    records.map(({ _id }) => _id),
  )
  // Purged between the two statements.
  return records.flatMap((record) => {
    const hash = hashes.get(record._id)
    return hash === undefined ? [] : [toEntry(feed, record, hash, publicUrl)]
  })
}

interface Reader {
  accountId: string
  hasOwnView: boolean
}

async function readTopicEntries(feed: Feed, reader: Reader, dependencies: ContentDependencies): Promise<FeedEntry[]> {
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
  return toEntries(feed, records, dependencies)
}

async function readSearchEntries(feed: Feed, reader: Reader, dependencies: ContentDependencies): Promise<FeedEntry[]> {
  const { database, searchIndex } = dependencies
  const filters = parseBodyFilters(feed.filters ?? {}, reader)
  const input = { query: feed.query ?? '', offset: 0, limit: maxEntries, filters, sortBy: 'new' as const }
  const { results } = await searchQuery(searchIndex, database, input)
  return toEntries(feed, results, dependencies)
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

async function readWatchEntries(feed: Feed, reader: Reader, dependencies: ContentDependencies): Promise<FeedEntry[]> {
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
  const items = (await readFeedNews(database, { ...only, view, publicUrl })).map((item) => {
    const status = item.status?.replaceAll('_', ' ') ?? null
    return entryAt(item.readyAt, {
      id: tag(feed, `news/${item.stored.reportId}/${item.kind}/${item.stored.wishId}`),
      title: newsTitle(item),
      text: words([counted(item.votes, 'vote'), item.platforms.join(', '), status]),
      url: item.url,
    })
  })
  return [...rises, ...items].sort((a, b) => b.published.getTime() - a.published.getTime()).slice(0, maxEntries)
}

const readers = { topic: readTopicEntries, search: readSearchEntries, watch: readWatchEntries }

function pageUrl({ kind, topic, query, watch_id: watchId }: Feed, publicUrl: string): string {
  if (kind === 'topic') return `${publicUrl}/topics/one?${new URLSearchParams({ topic: topic ?? '' })}`
  if (kind === 'search') return `${publicUrl}/?${new URLSearchParams({ q: query ?? '' })}`
  return watchLink(publicUrl, watchId ?? '')
}

/** What a feed shows now; null when its account is deleted. */
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
  const entries = await readers[feed.kind](feed, reader, dependencies)
  const latest = Math.max(feed.created_at.getTime(), ...entries.map(({ updated }) => updated.getTime()))
  return {
    id: tag(feed, `feed/${feed.id}`),
    title: feed.name,
    url: pageUrl(feed, publicUrl),
    updated: new Date(latest),
    entries,
  }
}
