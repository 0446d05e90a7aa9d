import { asFields, asList, asString, type Fields } from '../../content/fields.ts'
import { readFeedBounded } from '../rss/feed.ts'
import { isReview, listOf } from './review.ts'
import { type App, storeUrl } from './source.ts'

/** The feed's depth: page 11 is refused. */
export const maxPages = 10
const pageSize = 50

export interface ReviewPage {
  reviews: Fields[]
  hasNext: boolean
}

/** The address of a page and its parser, which returns null if it is no feed. */
export interface PageForm {
  isXml: boolean
  path(app: App, page: number): string
}

/** The URL forms of a page, in the order they are tried: each is sometimes empty while another has reviews. */
export const pageForms: readonly PageForm[] = [
  {
    isXml: false,
    path: ({ country, id }, page) => `/${country}/rss/customerreviews/page=${page}/id=${id}/sortby=mostrecent/json`,
  },
  {
    isXml: false,
    path: ({ country, id }, page) => `/${country}/rss/customerreviews/id=${id}/sortBy=mostRecent/page=${page}/json`,
  },
  {
    isXml: true,
    path: ({ country, id }, page) => `/${country}/rss/customerreviews/page=${page}/id=${id}/sortby=mostrecent/xml`,
  },
]

/** The page number in a link of the feed. Only the number is used; the link itself is never followed. */
const pageNumber = (address: string): number | null => {
  const number = /\/page=(\d{1,4})(?!\d)/.exec(address)?.[1]
  return number === undefined ? null : Number(number)
}

/** The last page links to itself as next. Without a readable link, a full page is assumed to have a next one. */
function pageOf(entries: readonly unknown[], next: string | null, page: number): ReviewPage {
  const reviews = entries.map(asFields).filter((entry) => entry !== null && isReview(entry)) as Fields[]
  const nextPage = pageNumber(next ?? '')
  const saysMore = nextPage === null ? reviews.length >= pageSize : nextPage > page
  return { reviews, hasNext: page < maxPages && reviews.length > 0 && saysMore }
}

/** Reads a JSON page; `feed.entry` is a list, one object, or absent. @returns null if it is no review feed */
export function readJsonPage(body: unknown, page: number): ReviewPage | null {
  const feed = asFields(asFields(body)?.feed)
  if (feed === null) return null
  const entries = listOf(feed.entry)
  if (asList(feed.entry) === null && entries.length > 0 && asFields(feed.entry) === null) return null
  const attributes = listOf(feed.link).map((link) => asFields(asFields(link)?.attributes))
  return pageOf(entries, asString(attributes.find((one) => one?.rel === 'next')?.href), page)
}

/** The content of an Apple-specific element of one entry. */
const elementOf = (entry: string, name: 'id' | 'im:rating' | 'im:version'): string | undefined =>
  new RegExp(`<${name}(?:\\s[^<>]{0,200})?>([^<>]{0,200})</${name}>`).exec(entry)?.[1]?.trim()

/** Drops the HTML copy of an entry's text: a table with the app's name and icon. */
const withoutHtml = (entry: string): string =>
  /<content\s[^<>]{0,200}\btype="text"/.test(entry)
    ? entry.replace(/<content\s(?:[^<>]{0,200}\s)?type="html"[^<>]{0,200}>[^<]*<\/content>/g, '')
    : entry

/** The target of the first link with this relation. */
function linkOf(xml: string, rel: 'next' | 'related'): string | null {
  const links = xml.match(/<link\s[^<>]{0,1000}>/g) ?? []
  const link = links.find((one) => one.includes(`rel="${rel}"`)) ?? ''
  return /\shref="([^"]*)"/.exec(link)?.[1]?.replaceAll('&amp;', '&') ?? null
}

/** Reads an Atom page into entries shaped like the JSON ones. @returns null if it is no feed */
export async function readXmlPage(text: string, page: number, signal: AbortSignal): Promise<ReviewPage | null> {
  const [head = '', ...written] = text.split(/(?=<entry[\s>])/)
  const source = [head, ...written.map(withoutHtml)].join('')
  const feed = await readFeedBounded({ source, address: storeUrl }, signal)
  if (feed === null) return null
  // The feed parser does not know Apple's own elements.
  const own = new Map(written.map((entry) => [elementOf(entry, 'id'), entry]))
  const labelled = (value: unknown) => (value === undefined || value === null ? undefined : { label: value })
  const entries = feed.items.map(({ id, title, text: content, authorName, authorUrl, dates }) => {
    const entry = own.get(id ?? '') ?? ''
    return {
      id: labelled(id),
      title: labelled(title.value),
      content: { label: content.value, attributes: { type: content.form === 'html' ? 'html' : 'text' } },
      author: { name: labelled(authorName), uri: labelled(authorUrl) },
      updated: labelled(dates.find((date) => typeof date === 'string')),
      'im:rating': labelled(elementOf(entry, 'im:rating')),
      'im:version': labelled(elementOf(entry, 'im:version')),
      link: { attributes: { href: linkOf(entry, 'related') } },
    }
  })
  return pageOf(entries, linkOf(head, 'next'), page)
}
