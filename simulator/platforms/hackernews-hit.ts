import { epochSeconds, shortTime, valuesOf } from '../finding.ts'
import { readForms } from '../forms.ts'
import { hashText } from '../random.ts'
import type { SimulatedRecord } from '../records.ts'
import { escapeHtml, highlight, htmlFromText } from '../wire-text.ts'
import hackernews from './hackernews.json' with { type: 'json' }

const forms = readForms(hackernews.forms)

/** The real index has no deleted authors: their items vanish. */
const handleOf = ({ author }: SimulatedRecord): string => author?.handle ?? 'nobody'

const storyId = ({ kind, product, id }: SimulatedRecord): number => (kind === 'comment' ? hashText(product) : id)

/** The pseudo tags that `tags=` searches. */
export function hackerNewsTags(record: SimulatedRecord): string[] {
  const kind = record.kind === 'comment' ? 'comment' : 'story'
  const tags = [kind, `author_${handleOf(record)}`, `story_${storyId(record)}`]
  return kind === 'story' && record.title.startsWith('Ask HN') ? [...tags, 'ask_hn'] : tags
}

function highlighted(fields: Record<string, string | undefined>, words: readonly string[]): object {
  const entries = Object.entries(fields).map(([name, text]) => {
    if (text === undefined) return [name, undefined]
    const { value, matched } = highlight(text, words)
    const matchLevel = matched.length === 0 ? 'none' : matched.length === words.length ? 'full' : 'partial'
    const level = { matchLevel, matchedWords: matched, value }
    return [name, matchLevel === 'none' ? level : { fullyHighlighted: false, ...level }]
  })
  return Object.fromEntries(entries)
}

const shownAddressLength = 60

/** Hacker News makes addresses links, and shows long ones cut short; the text is escaped already. */
function withLinks(html: string): string {
  return html.replace(/https?:&#x2F;&#x2F;[^\s<]+/g, (address) => {
    const whole = address.replaceAll('&#x2F;', '/')
    const shown = whole.length > shownAddressLength ? `${whole.slice(0, shownAddressLength - 3)}...` : whole
    return `<a href="${address}" rel="nofollow">${shown.replaceAll('/', '&#x2F;')}</a>`
  })
}

/** One element of `hits`. As today, keys that do not apply are absent: a comment has no title, points or url. */
export function hackerNewsHit(record: SimulatedRecord, words: readonly string[]): unknown {
  const { title, body, commentCount } = record
  const author = handleOf(record)
  const html = body === null ? undefined : withLinks(htmlFromText(body, 'hackernews'))
  const common = {
    ...valuesOf(record),
    author,
    tags: hackerNewsTags(record),
    shortCreatedAt: shortTime(record.createdAt),
    createdSeconds: epochSeconds(record.createdAt),
    objectId: String(record.id),
    storyId: storyId(record),
    dead: record.fate === 'removed' ? true : undefined,
  }
  if (record.kind === 'comment') {
    const site = escapeHtml(record.product, 'hackernews').toLowerCase().replaceAll(' ', '-')
    const [text, storyUrl] = [html ?? '', `https://${site}.example/`]
    const fields = { author, comment_text: text, story_title: title, story_url: storyUrl }
    return forms.comment({ ...common, highlights: highlighted(fields, words), text, storyUrl })
  }
  const url = record.externalUrl ?? undefined
  return forms.story({
    ...common,
    highlights: highlighted({ author, title, url, story_text: html }, words),
    children: commentCount > 0 ? [record.id + 1] : undefined,
    points: Math.max(1, record.votes),
    url,
    storyText: html,
  })
}
