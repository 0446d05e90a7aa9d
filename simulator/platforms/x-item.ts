import { valuesOf } from '../finding.ts'
import { readForms } from '../forms.ts'
import type { SimulatedRecord } from '../records.ts'
import { escapeMarkup } from '../wire-text.ts'
import x from './x.json' with { type: 'json' }

const forms = readForms(x.forms)
const longestText = 280

/** Handles on X know no hyphen. */
const username = (handle: string): string => handle.replaceAll('-', '_')

/** An account that is suspended still has its number. */
const authorId = ({ author, id }: SimulatedRecord): string => String(author?.id ?? 90_000_000 + (id % 1_000))

/** The page of a post, as a person opens it. */
export const postUrl = ({ author, id }: SimulatedRecord): string =>
  `https://x.com/${author ? username(author.handle) : 'i'}/status/${id}`

const hashtags = (text: string): object[] =>
  [...text.matchAll(/#(\w+)/g)].map(({ 0: found, 1: tag, index }) => ({ start: index, end: index + found.length, tag }))

/** What is too long for a post of old is cut, and whole in a note, with the hashtags that the cut has lost. */
function texts({ kind, body, title, tags }: SimulatedRecord) {
  const whole = `${body || title}\n\n${tags.map((tag) => `#${tag.replaceAll(' ', '')}`).join(' ')}`
  if (kind === 'pull_request') {
    const start = `RT @quillbox_fan: ${whole}`.slice(0, longestText - 1)
    return { text: escapeMarkup(`${start}…`), hashtags: hashtags(start), note: undefined }
  }
  const characters = [...whole]
  const isLong = characters.length > longestText
  const shown = isLong ? `${characters.slice(0, longestText - 26).join('')}… https://t.co/Abcdefghij` : whole
  const note = { text: escapeMarkup(whole), entities: { hashtags: hashtags(whole) } }
  return { text: escapeMarkup(shown), hashtags: hashtags(shown), note: isLong ? note : undefined }
}

/** One element of `data`; only `id`, `text` and the history of its edits come unasked. */
export function xPost(record: SimulatedRecord, fields: ReadonlySet<string>): object {
  const number = String(record.id)
  const isRetweet = record.kind === 'pull_request'
  const all = forms.post({
    ...valuesOf(record),
    ...texts(record),
    number,
    authorId: authorId(record),
    retweets: record.votes > 50 ? 3 : 0,
    impressions: record.commentCount * 97,
    withheld: record.fate === 'removed' ? forms.withheld() : undefined,
    referenced: isRetweet ? [{ type: 'retweeted', id: String(record.id - 1) }] : undefined,
  }) as object
  const asked = Object.entries(all).filter(([name]) => name === 'text' || fields.has(name))
  return { id: number, edit_history_tweet_ids: [number], ...Object.fromEntries(asked) }
}

/** `includes.users` and, for those who are suspended, the `errors` beside it. */
export function xUsers(records: readonly SimulatedRecord[], fields: ReadonlySet<string>) {
  const active = records.flatMap(({ author, fate }) => (author ? [{ author, isPrivate: fate === 'private' }] : []))
  const users = new Map(
    active.map(({ author, isPrivate }) => {
      const verified = fields.has('verified') ? false : undefined
      const isProtected = fields.has('protected') ? isPrivate : undefined
      const { id, name, handle } = author
      const values = { id: String(id), name, username: username(handle), verified, protected: isProtected }
      return [id, forms.user(values)] as const
    }),
  )
  const suspended = records.filter(({ author }) => author === null)
  const errors = suspended.map((record) => forms.suspended({ id: authorId(record) }))
  return { includes: { users: [...users.values()] }, errors: errors.length > 0 ? errors : undefined }
}
