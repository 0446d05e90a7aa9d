import { epochSeconds, valuesOf } from '../finding.ts'
import { readForms } from '../forms.ts'
import type { SimulatedRecord } from '../records.ts'
import { escapeMarkup } from '../wire-text.ts'
import reddit from './reddit.json' with { type: 'json' }

const forms = readForms(reddit.forms)

/** The fullname of a post: its kind and its number in base 36. */
export const postName = ({ id }: SimulatedRecord): string => `t3_${id.toString(36)}`

export const community = ({ product }: SimulatedRecord): string => product.replaceAll(' ', '')

function permalink(record: SimulatedRecord): string {
  const slug = record.title
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '_')
    .replace(/^_|_$/g, '')
    .slice(0, 50)
    .toWellFormed()
  return `/r/${community(record)}/comments/${record.id.toString(36)}/${slug}/`
}

/** The page of a post, as a person opens it. */
export const postUrl = (record: SimulatedRecord): string => `https://www.reddit.com${permalink(record)}`

/** Communities name their flairs as they like. */
export const flair = ({ tags }: SimulatedRecord): string | null => tags[0] ?? null

/** Without `raw_json` every text comes escaped. */
function texts(record: SimulatedRecord, isRemoved: boolean, isRaw: boolean): object {
  const text = isRemoved ? '[removed]' : (record.body ?? '')
  const html = `<!-- SC_OFF --><div class="md"><p>${escapeMarkup(text)}</p>\n</div><!-- SC_ON -->`
  const shown = (value: string | null) => (value === null || isRaw ? value : escapeMarkup(value))
  return {
    title: shown(record.title),
    selftext: shown(text),
    selftext_html: shown(text === '' ? null : html),
    link_flair_text: shown(flair(record)),
  }
}

/** One element of `children`. */
export function redditPost(record: SimulatedRecord, isRaw: boolean): unknown {
  const isRemoved = record.kind === 'pull_request' || record.fate === 'removed'
  const seconds = epochSeconds(record.createdAt)
  const { author } = record
  return forms.post({
    ...valuesOf(record),
    ...texts(record, isRemoved, isRaw),
    community: community(record),
    communityId: record.product.length.toString(36),
    communityType: record.fate === 'private' ? 'private' : 'public',
    authorName: author ? `t2_${author.id.toString(36)}` : undefined,
    author: author?.handle ?? '[deleted]',
    name: postName(record),
    number: record.id.toString(36),
    permalink: permalink(record),
    url: postUrl(record),
    isShown: !isRemoved,
    removedBy: isRemoved ? 'moderator' : null,
    // The clock of the server is eight hours ahead.
    created: seconds + 28_800,
    createdUtc: seconds + 0.5,
  })
}
