import { parseFeed } from 'feedsmith'
import { parseJson } from '../../../runtime/foreign/json.ts'
import { callInThread, TooDearError } from '../../../runtime/foreign/thread.ts'
import { moduleFile } from '../../../runtime/module-file.ts'
import { asFields, asList, asName, asString, asWebUrl, type Fields } from '../../content/fields.ts'
import { isWithinLimits, newestOf } from './newest.ts'

/** Text of a feed and its form; `guess` if the feed does not say. */
export interface FeedText {
  value: string
  form: 'plain' | 'html' | 'guess'
}

/** An item of any kind of feed, with raw values. */
export interface FeedItem {
  id: string | null
  /** Absolute, http or https. */
  link: string | null
  title: FeedText
  text: FeedText
  /** Publication date first, then others, unparsed. */
  dates: unknown[]
  authorName: string | null
  authorUrl: string | null
  tags: unknown[]
  comments: unknown
}

export interface Feed {
  title: string | null
  /** The feed's web page. */
  link: string | null
  items: FeedItem[]
  /** Older items skipped because of the limits. */
  leftOut: number
}

/** Five times a feed of a hundred long texts. */
export const maxFeedBytes = 5 * 1024 * 1024

/** Parsed at once, in some 20 ms; starting a thread takes 100 ms. */
const small = { length: 128 * 1024, members: 4_000 }

interface Received {
  source: string
  /** The feed's address, for relative links. */
  address: string
}

const documentType = /<!DOCTYPE[^[>]{0,2000}(?:\[[^\]]{0,100000}\]\s{0,100})?>/iy

const none: FeedText = { value: '', form: 'plain' }

/** Drops the doctype before the first element, so no entity is ever expanded. */
function withoutDocumentType(xml: string): string {
  const begin = xml.search(/<(?:[a-z]|!DOCTYPE)/i)
  documentType.lastIndex = Math.max(0, begin)
  const found = documentType.exec(xml)?.[0]
  return found === undefined ? xml : xml.slice(0, begin) + xml.slice(begin + found.length)
}

/** Resolves a link against the bases of item and feed, then the address (RFC 3986); null if no web address. */
function resolved(link: unknown, bases: readonly string[]): string | null {
  const text = asString(link)?.trim()
  // `https:///x` has no host, but `URL` takes its path for one.
  if (!text || /^https?:(?!\/\/[^/])/i.test(text)) return null
  const base = bases.reduce<string | undefined>(
    (outer, inner) => (URL.canParse(inner, outer) ? new URL(inner, outer).href : outer),
    undefined,
  )
  return URL.canParse(text, base) ? asWebUrl(new URL(text, base).href) : null
}

function alternateLink(links: unknown): unknown {
  const alternates = (asList(links) ?? [])
    .map(asFields)
    .filter((link) => link !== null && (link.rel ?? 'alternate') === 'alternate')
  return (alternates.find((link) => (link?.type ?? 'text/html') === 'text/html') ?? alternates[0])?.href
}

/** An Atom text construct (RFC 4287, 3.1); other media types are none. */
function atomText(construct: unknown): FeedText {
  const fields = asFields(construct)
  const value = asString(fields?.value) ?? ''
  const type = (asString(fields?.type) ?? '').trim().toLowerCase()
  if (type === 'html' || type === 'xhtml' || type === 'text/html' || type === 'application/xhtml+xml')
    return { value, form: 'html' }
  if (type === 'text' || type === 'text/plain') return { value, form: 'plain' }
  return type === '' ? { value, form: 'guess' } : none
}

const guessed = (value: unknown): FeedText => ({ value: asString(value) ?? '', form: 'guess' })
const firstOf = (texts: readonly FeedText[]): FeedText => texts.find(({ value }) => value.trim() !== '') ?? none
const listOf = (value: unknown): unknown[] => asList(value) ?? []

/** The text of videos and podcasts (Media RSS). */
function mediaText(item: Fields): FeedText {
  const media = asFields(item.media)
  const described = [media, ...listOf(media?.groups), asFields(media?.group)].map(asFields)
  return firstOf(described.map((one) => guessed(asFields(one?.description)?.value)))
}

/** An item with candidate links, best first, unparsed. */
type Written = Omit<FeedItem, 'link'> & { links: unknown[] }

function readAtomEntry(entry: Fields): Written {
  const author = asFields(listOf(entry.authors)[0])
  return {
    id: asString(entry.id),
    links: [alternateLink(entry.links)],
    title: atomText(entry.title),
    text: firstOf([atomText(entry.content), atomText(entry.summary), mediaText(entry)]),
    dates: [entry.published, entry.updated, ...listOf(asFields(entry.dc)?.dates)],
    authorName: asName(author?.name),
    authorUrl: asWebUrl(author?.uri),
    tags: listOf(entry.categories).map((category) => asFields(category)?.label ?? asFields(category)?.term),
    comments: asFields(entry.thr)?.total ?? asFields(entry.slash)?.comments,
  }
}

function readRssItem(item: Fields): Written {
  const guid = asFields(item.guid)
  const dc = asFields(item.dc)
  const author = asFields(listOf(item.authors)[0])
  const permanent = guid?.isPermaLink === false || !/^https?:/i.test(asString(guid?.value) ?? '') ? null : guid?.value
  return {
    id: asString(guid?.value) ?? asString(asFields(item.rdf)?.about),
    links: [item.link, alternateLink(asFields(item.atom)?.links), permanent],
    title: guessed(item.title),
    text: firstOf([guessed(asFields(item.content)?.encoded), guessed(item.description), mediaText(item)]),
    dates: [item.pubDate, ...listOf(dc?.dates), asFields(item.atom)?.published, asFields(item.atom)?.updated],
    authorName: asName(author?.name) ?? asName(listOf(dc?.creators)[0]),
    authorUrl: null,
    tags: [...listOf(item.categories).map((category) => asFields(category)?.name), ...listOf(dc?.subjects)],
    comments: asFields(item.slash)?.comments,
  }
}

function readJsonItem(item: Fields): Written {
  const author = asFields(listOf(item.authors)[0])
  const html: FeedText = { value: asString(item.content_html) ?? '', form: 'html' }
  const plain = [item.content_text, item.summary].map((value): FeedText => ({ ...guessed(value), form: 'plain' }))
  return {
    id: asString(item.id),
    links: [item.url, item.external_url],
    title: { value: asString(item.title) ?? '', form: 'plain' },
    text: firstOf([html, ...plain]),
    dates: [item.date_published, item.date_modified],
    authorName: asName(author?.name),
    authorUrl: asWebUrl(author?.url),
    tags: listOf(item.tags),
    comments: null,
  }
}

const readers = { atom: readAtomEntry, rss: readRssItem, rdf: readRssItem, json: readJsonItem }

/** Parses RSS 0.9 to 2.0, RDF, Atom and JSON Feed. @returns null if it is no feed, or too expensive to parse */
export function readFeed({ source, address }: Received): Feed | null {
  const text = source.replace(/^[\s\ufeff\0]+/, '')
  const isJson = text.startsWith('{')
  const xml = isJson ? '' : withoutDocumentType(text)
  if (!isWithinLimits(xml) || /^<(?:!doctype )?html\b/i.test(text)) return null
  let parsed: ReturnType<typeof parseFeed>
  try {
    // Counts JSON before parsing it.
    const json = isJson ? asFields(parseJson(text, maxFeedBytes)) : null
    if (isJson && asList(json?.items) === null) return null
    parsed = parseFeed(json ?? xml)
  } catch {
    return null
  }
  const feed = parsed.feed as Fields
  const bases = [address, asString(asFields(feed.xml)?.base) ?? '']
  const read = readers[parsed.format]
  const items = listOf(feed.items ?? feed.entries).flatMap((item) => {
    const fields = asFields(item)
    if (fields === null) return []
    const { links, ...rest } = read(fields)
    const all = [...bases, asString(asFields(fields.xml)?.base) ?? '']
    return [{ ...rest, link: links.map((link) => resolved(link, all)).find((link) => link !== null) ?? null }]
  })
  const title = typeof feed.title === 'string' ? feed.title : asFields(feed.title)?.value
  const link = feed.link ?? feed.home_page_url ?? alternateLink(feed.links)
  const kept = newestOf(items, ({ dates }) => dates)
  return { title: asName(title), link: resolved(link, bases), items: kept, leftOut: items.length - kept.length }
}

/** Like `readFeed`, with large feeds parsed in a thread. @returns null also if time or memory runs out there */
export async function readFeedBounded(received: Received, signal: AbortSignal): Promise<Feed | null> {
  if (received.source.length <= small.length && isWithinLimits(received.source, small.members))
    return readFeed(received)
  try {
    return await callInThread<Feed | null>(moduleFile('./feed', import.meta.url), 'readFeed', received, { signal })
  } catch (error) {
    if (error instanceof TooDearError) return null
    throw error
  }
}
