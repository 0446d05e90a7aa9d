import { hash } from 'node:crypto'
import { asId, foundRequest } from '../../content/fields.ts'
import type { ItemResult } from '../../content/items.ts'
import { cleanTags, htmlToPlainText, plainText, plainTitle } from '../../content/text.ts'
import { feedDate } from './dates.ts'
import type { Feed, FeedItem, FeedText } from './feed.ts'

const markup = /<(?:!--|\/?[a-z][a-z0-9]*(?:\s[^<>]*)?\/?>)/i
/** Elements that are never product names, unlike `List<String>`. */
const titleMarkup = /<\/?(?:b|i|u|s|em|strong|code|a|span|p|br|sub|sup|tt|small|font|img|div|mark)(?:\s[^<>]*)?\/?>/i
const entity = /&(?:#\d{1,7}|#x[\da-f]{1,6}|[a-z]{2,8}\d{0,2});/i

/** Converts doubly escaped markup once more. */
function htmlText(source: string): string {
  const text = htmlToPlainText(source)
  return !markup.test(source) && titleMarkup.test(text) ? htmlToPlainText(text) : text
}

/** Renders a text as feed readers do. Without a stated form, what looks like markup is markup: RSS allows both. */
function shownText({ value, form }: FeedText, tags: RegExp = markup): string {
  const isHtml = form === 'html' || (form === 'guess' && (tags.test(value) || entity.test(value)))
  return isHtml ? htmlText(value) : plainText(value)
}

/** Ids that several items with different links share identify something else, such as their site. */
export function sharedIds(items: readonly FeedItem[]): ReadonlySet<string> {
  const links = new Map<string, string>()
  const shared = new Set<string>()
  for (const { id, link } of items) {
    if (id === null || link === null) continue
    if ((links.get(id) ?? link) !== link) shared.add(id)
    links.set(id, link)
  }
  return shared
}

/** Shortens ids, which may be any text of any length. */
const shortId = (id: string): string =>
  asId(id) !== null && id.length <= 150 ? id : hash('sha256', id.toWellFormed(), 'hex').slice(0, 32)

/** Identifies a feed in its items' ids: its address, the same for http and https. */
export const feedKey = (address: string): string =>
  hash('sha256', address.replace(/^https?:\/\//, ''), 'hex').slice(0, 12)

export interface ItemContext {
  feed: Feed
  address: string
  shared: ReadonlySet<string>
  /** Ids read before: a repeated item is read once. */
  known: Set<string>
  now: Date
}

/** Reads an item of a feed; without its own link it gets the feed's. @returns null if it was read before */
export function readFeedItem(item: FeedItem, { feed, address, shared, known, now }: ItemContext): ItemResult {
  const title = plainTitle(shownText(item.title, titleMarkup))
  const own = item.id?.trim()
  const given = own && !shared.has(item.id!) ? own : item.link
  const id = given ?? hash('sha256', JSON.stringify([title, item.dates[0] ?? null]), 'hex').slice(0, 32)
  const sourceId = `${feedKey(address)}:${shortId(id)}`
  if (known.has(sourceId)) return null
  known.add(sourceId)
  return foundRequest({
    sourceId,
    sourceUrl: item.link ?? feed.link ?? address,
    title,
    description: shownText(item.text),
    commentCount: item.comments,
    tags: cleanTags(item.tags),
    authorName: item.authorName,
    authorProfileUrl: item.authorUrl,
    originalCreatedAt: feedDate(item.dates, now),
    sourceName: feed.title ?? new URL(address).host,
  })
}
