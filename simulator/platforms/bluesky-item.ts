import { valuesOf } from '../finding.ts'
import { readForms } from '../forms.ts'
import type { SimulatedRecord } from '../records.ts'
import bluesky from './bluesky.json' with { type: 'json' }

const forms = readForms(bluesky.forms)
const textLimit = 300
const alphabet = '234567abcdefghijklmnopqrstuvwxyz'

/** Fixed length, so that ids sort like the numbers that they are made of. */
function base32(value: number, length: number): string {
  let text = ''
  for (let rest = value; text.length < length; rest = Math.floor(rest / 32)) text = alphabet[rest % 32] + text
  return text
}

const authorId = ({ author, id }: SimulatedRecord): string => `did:plc:${base32(author?.id ?? id, 24)}`

/** The owner of a handle may give it up; the name then says so. */
const handle = ({ author }: SimulatedRecord): string => (author ? `${author.handle}.bsky.social` : 'handle.invalid')

export const postUri = (record: SimulatedRecord): string =>
  `at://${authorId(record)}/app.bsky.feed.post/${base32(record.id, 13)}`

/** The page of a post, as a person opens it. */
export function postUrl(record: SimulatedRecord): string {
  const owner = record.author ? handle(record) : authorId(record)
  return `https://bsky.app/profile/${owner}/post/${base32(record.id, 13)}`
}

/** Posts have no title, and no more than 300 characters of well-formed text. */
const postText = ({ body, title }: SimulatedRecord): string =>
  [...(body || title).toWellFormed()].slice(0, textLimit).join('')

function tagFacets(text: string, tags: readonly string[]): unknown[] {
  const start = Buffer.byteLength(`${text} `)
  return tags
    .map((tag) => tag.replaceAll(' ', ''))
    .map((tag) => forms.tagFacet({ tag, start, end: start + tag.length + 1 }))
}

/** One element of `posts` (`app.bsky.feed.defs#postView`). */
export function blueskyPost(record: SimulatedRecord): unknown {
  const values = { ...valuesOf(record), uri: postUri(record) }
  const text = postText(record)
  const isLinking = record.id % 5 === 0
  return forms.post({
    ...values,
    cid: base32(record.id, 20),
    did: authorId(record),
    handle: handle(record),
    name: record.author?.name,
    text,
    facets: tagFacets(text, record.tags),
    embed: isLinking ? forms.embed(values) : undefined,
    embedView: isLinking ? forms.embedView(values) : undefined,
    reply: record.id % 3 === 0 ? forms.reply() : undefined,
    labels: record.fate === 'removed' ? [forms.takedown(values)] : [],
  })
}
