import { valuesOf } from '../finding.ts'
import { readForms } from '../forms.ts'
import type { SimulatedRecord } from '../records.ts'
import rss from './rss.json' with { type: 'json' }

const forms = readForms(rss.forms)

/** The forms in which the simulated feeds are written. */
export type FeedForm = 'rss' | 'atom' | 'json'

const sites: Record<FeedForm, string> = {
  rss: 'https://news.example/',
  atom: 'https://ideas.example/',
  json: 'https://log.example/',
}

export const itemUrl = ({ id }: Pick<SimulatedRecord, 'id'>, form: FeedForm): string => `${sites[form]}wish-${id}`

/** XML has no place for most control characters, nor for half of a pair. */
export const escaped = (text: string): string =>
  text
    .toWellFormed()
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what XML cannot have
    .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f]/g, '')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')

/** A body as a page shows it. */
const pageOf = (body: string): string =>
  body
    .split(/\n\n+/)
    .map((paragraph) => `<p>${escaped(paragraph).replaceAll('\n', '<br/>')}</p>`)
    .join('')

/** One item of a feed: a text of XML, or an object of JSON. */
export function feedItem(record: SimulatedRecord, form: FeedForm): unknown {
  const { title, author, tags, createdAt } = record
  const body = record.body ?? ''
  const values = { ...valuesOf(record), body, tags, link: itemUrl(record, form) }
  const name = author?.name ?? ''
  if (form === 'json') return forms.json({ ...values, authors: author === null ? [] : [{ name }] })
  const texts = { title: escaped(title), doublyEscapedTitle: escaped(escaped(title)), author: escaped(name) }
  return forms[form]({
    ...values,
    ...texts,
    link: form === 'atom' ? `wish-${record.id}` : values.link,
    start: escaped(escaped(body.slice(0, 100))),
    markup: escaped(pageOf(body)),
    mailDate: createdAt.toUTCString(),
    categories: tags.map((tag) => `<category>${escaped(tag)}</category>`).join(''),
    terms: tags.map((tag) => `<category term="${escaped(tag)}"/>`).join(''),
  })
}
