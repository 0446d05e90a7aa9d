import type { SimulatedRecord } from '../records.ts'

const longestText = 280

/** Handles on X know no hyphen. */
function username(author: NonNullable<SimulatedRecord['author']>): string {
  return author.handle.replaceAll('-', '_')
}

/** An account that is suspended still has its number. */
function authorId(record: SimulatedRecord): string {
  return String(record.author?.id ?? 90_000_000 + (record.id % 1_000))
}

/** The page of a post, as a person opens it. */
export function postUrl(record: SimulatedRecord): string {
  return `https://x.com/${record.author ? username(record.author) : 'i'}/status/${record.id}`
}

function escapeText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}

function hashtags(text: string): object[] {
  return [...text.matchAll(/#(\w+)/g)].map((match) => {
    return { start: match.index, end: match.index + match[0].length, tag: match[1] }
  })
}

function withHashtags(record: SimulatedRecord): string {
  const tags = record.tags.map((tag) => `#${tag.replaceAll(' ', '')}`)
  return `${record.body || record.title}\n\n${tags.join(' ')}`
}

/** What is too long for a post of old is cut, and whole in `note_tweet`, with the hashtags that the cut has lost. */
function texts(record: SimulatedRecord): object {
  const whole = withHashtags(record)
  if (record.kind === 'pull_request') {
    const text = `RT @quillbox_fan: ${whole}`.slice(0, longestText - 1)
    return { text: escapeText(`${text}…`), entities: { hashtags: hashtags(text) } }
  }
  const characters = [...whole]
  if (characters.length <= longestText) return { text: escapeText(whole), entities: { hashtags: hashtags(whole) } }
  const start = `${characters.slice(0, longestText - 26).join('')}… https://t.co/Abcdefghij`
  return {
    text: escapeText(start),
    entities: { hashtags: hashtags(start) },
    note_tweet: { text: escapeText(whole), entities: { hashtags: hashtags(whole) } },
  }
}

/** One element of `data`; only `id`, `text` and the history of its edits come unasked. */
export function xPost(record: SimulatedRecord, fields: ReadonlySet<string>): object {
  const isRetweet = record.kind === 'pull_request'
  const all: Record<string, unknown> = {
    ...texts(record),
    author_id: authorId(record),
    created_at: record.createdAt.toISOString(),
    lang: 'en',
    conversation_id: String(record.id),
    public_metrics: {
      retweet_count: record.votes > 50 ? 3 : 0,
      reply_count: record.commentCount,
      like_count: Math.max(0, record.votes),
      quote_count: 0,
      bookmark_count: 0,
      impression_count: record.commentCount * 97,
    },
    ...(record.fate === 'removed' ? { withheld: { copyright: false, country_codes: ['DE', 'FR'] } } : {}),
    ...(isRetweet ? { referenced_tweets: [{ type: 'retweeted', id: String(record.id - 1) }] } : {}),
  }
  const asked = Object.entries(all).filter(([name]) => name === 'text' || fields.has(name))
  return { id: String(record.id), edit_history_tweet_ids: [String(record.id)], ...Object.fromEntries(asked) }
}

/** `includes.users` and, for those who are suspended, the `errors` beside it. */
export function xUsers(records: readonly SimulatedRecord[], fields: ReadonlySet<string>): object {
  const users = new Map<string, object>()
  const errors: object[] = []
  for (const record of records) {
    const id = authorId(record)
    if (record.author) {
      const { name } = record.author
      const verified = fields.has('verified') ? { verified: false } : {}
      const isProtected = fields.has('protected') ? { protected: record.fate === 'private' } : {}
      users.set(id, { id, name, username: username(record.author), ...verified, ...isProtected })
    } else {
      errors.push({
        value: id,
        detail: `User has been suspended: [${id}].`,
        title: 'Forbidden',
        resource_type: 'user',
        parameter: 'author_id',
        resource_id: id,
        type: 'https://api.twitter.com/2/problems/resource-not-found',
      })
    }
  }
  return { includes: { users: [...users.values()] }, ...(errors.length > 0 ? { errors } : {}) }
}
