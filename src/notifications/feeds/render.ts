import { generateAtomFeed, generateJsonFeed } from 'feedsmith'
import { version } from '../../runtime/version.ts'
import type { FeedContent, FeedEntry } from './content.ts'
import type { FeedFormat } from './feeds.ts'

/** The author if the platform has none. */
const nobody = 'unknown'

/** Everything that XML 1.0 cannot hold, not even escaped. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is removed
const unstorable = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g

const clean = (text: string) => text.toWellFormed().replace(unstorable, '')

/** Titles are one line and never empty, as formats and readers require. */
const titleOf = (text: string) => clean(text).replace(/\s+/g, ' ').trim() || 'Without a title'

function atomEntry({ id, title, text, url, sourceUrl, author, published, updated, tags }: FeedEntry) {
  const via = sourceUrl === null ? [] : [{ rel: 'via', href: sourceUrl, type: 'text/html' }]
  return {
    id,
    title: { value: titleOf(title), type: 'text' },
    content: { value: clean(text), type: 'text' },
    authors: [{ name: titleOf(author ?? nobody) }],
    links: [{ rel: 'alternate', href: url, type: 'text/html' }, ...via],
    categories: tags.map((term) => ({ term: titleOf(term) })),
    published,
    updated,
  }
}

const escapeXml = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

/** Escapes instead of CDATA, whose line breaks would count in names. Texts with `]]>` are already split. */
const withoutSections = (xml: string) =>
  xml.replace(/\s*<!\[CDATA\[([\s\S]*?)\]\]>\s*/g, (_section, text: string) => escapeXml(text))

const atomOf = ({ id, title, subtitle, url, updated, entries }: FeedContent, selfUrl: string): string =>
  withoutSections(
    generateAtomFeed(
      {
        id,
        title: { value: titleOf(title), type: 'text' },
        ...(subtitle !== null && { subtitle: { value: subtitle, type: 'text' } }),
        updated,
        authors: [{ name: 'Wishwell' }],
        generator: { text: 'Wishwell', version },
        links: [
          { rel: 'self', href: selfUrl, type: contentTypes.atom.split(';')[0]! },
          { rel: 'alternate', href: url, type: 'text/html' },
        ],
        entries: entries.map(atomEntry),
      },
      { strict: true },
    ),
  )

function jsonItem({ id, title, text, url, sourceUrl, author, published, updated, tags }: FeedEntry) {
  return {
    id,
    url,
    title: titleOf(title),
    content_text: clean(text) || titleOf(title),
    date_published: published,
    date_modified: updated,
    ...(sourceUrl === null ? {} : { external_url: sourceUrl }),
    ...(author === null ? {} : { authors: [{ name: titleOf(author) }] }),
    ...(tags.length === 0 ? {} : { tags: tags.map(titleOf) }),
  }
}

function jsonOf({ title, subtitle, url, entries }: FeedContent, selfUrl: string): string {
  const about = {
    title: titleOf(title),
    ...(subtitle !== null && { description: subtitle }),
    home_page_url: url,
    feed_url: selfUrl,
  }
  // The package omits an empty list, which the format requires.
  return JSON.stringify({
    ...(generateJsonFeed({ ...about, items: entries.map(jsonItem) }) as object),
    ...(entries.length === 0 ? { items: [] } : {}),
  })
}

export const contentTypes: Record<FeedFormat, string> = {
  atom: 'application/atom+xml; charset=utf-8',
  json: 'application/feed+json; charset=utf-8',
}

/** Renders a feed. @param selfUrl its own URL */
export const renderFeed = (content: FeedContent, format: FeedFormat, selfUrl: string): string =>
  format === 'atom' ? atomOf(content, selfUrl) : jsonOf(content, selfUrl)
