import { hashText } from '../random.ts'
import type { SimulatedRecord } from '../records.ts'
import { escapeHtml, highlight, htmlFromText } from '../wire-text.ts'

export function objectId(record: SimulatedRecord): string {
  return String(record.id)
}

function handleOf(record: SimulatedRecord): string {
  // The real index has no deleted authors: their items vanish.
  return record.author?.handle ?? 'nobody'
}

function storyId(record: SimulatedRecord): number {
  return record.kind === 'comment' ? hashText(record.product) : record.id
}

/** The pseudo tags that `tags=` searches. */
export function hackerNewsTags(record: SimulatedRecord): string[] {
  const tags = [
    record.kind === 'comment' ? 'comment' : 'story',
    `author_${handleOf(record)}`,
    `story_${storyId(record)}`,
  ]
  return record.kind !== 'comment' && record.title.startsWith('Ask HN') ? [...tags, 'ask_hn'] : tags
}

function highlighted(fields: Record<string, string>, words: readonly string[]): object {
  const entries = Object.entries(fields).map(([name, text]) => {
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
export function hackerNewsHit(record: SimulatedRecord, words: readonly string[]): object {
  const author = handleOf(record)
  const text = record.body === null ? null : withLinks(htmlFromText(record.body, 'hackernews'))
  const seconds = Math.floor(record.createdAt.getTime() / 1_000)
  const common = {
    _tags: hackerNewsTags(record),
    author,
    created_at: record.createdAt.toISOString().replace('.000Z', 'Z'),
    created_at_i: seconds,
    objectID: objectId(record),
    story_id: storyId(record),
    updated_at: '2026-07-01T00:00:00Z',
    ...(record.fate === 'removed' ? { dead: true } : {}),
  }
  if (record.kind === 'comment') {
    const storyUrl = `https://${escapeHtml(record.product, 'hackernews').toLowerCase().replaceAll(' ', '-')}.example/`
    const story = { story_title: record.title, story_url: storyUrl }
    const fields = { author, comment_text: text ?? '', ...story }
    const parent = { parent_id: storyId(record), children: [] }
    return { _highlightResult: highlighted(fields, words), ...common, comment_text: text ?? '', ...parent, ...story }
  }
  const content: Record<string, string> = {}
  if (record.externalUrl !== null) content.url = record.externalUrl
  if (text !== null) content.story_text = text
  const counts = { points: Math.max(1, record.votes), num_comments: record.commentCount }
  return {
    _highlightResult: highlighted({ author, title: record.title, ...content }, words),
    ...common,
    ...(record.commentCount > 0 ? { children: [record.id + 1] } : {}),
    ...counts,
    title: record.title,
    ...content,
  }
}
