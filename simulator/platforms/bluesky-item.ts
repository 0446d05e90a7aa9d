import type { SimulatedRecord } from '../records.ts'

const textLimit = 300
const alphabet = '234567abcdefghijklmnopqrstuvwxyz'

/** Fixed length, so that ids sort like the numbers that they are made of. */
function base32(value: number, length: number): string {
  let text = ''
  for (let rest = value; text.length < length; rest = Math.floor(rest / 32)) text = alphabet[rest % 32] + text
  return text
}

function authorId(record: SimulatedRecord): string {
  return `did:plc:${base32(record.author?.id ?? record.id, 24)}`
}

/** The owner of a handle may give it up; the name then says so. */
function handle(record: SimulatedRecord): string {
  return record.author ? `${record.author.handle}.bsky.social` : 'handle.invalid'
}

export function postUri(record: SimulatedRecord): string {
  return `at://${authorId(record)}/app.bsky.feed.post/${base32(record.id, 13)}`
}

/** The page of a post, as a person opens it. */
export function postUrl(record: SimulatedRecord): string {
  const owner = record.author ? handle(record) : authorId(record)
  return `https://bsky.app/profile/${owner}/post/${base32(record.id, 13)}`
}

export function postTags(record: SimulatedRecord): string[] {
  return record.tags.map((tag) => tag.replaceAll(' ', ''))
}

/** Posts have no title, and no more than 300 characters of well-formed text. */
export function postText(record: SimulatedRecord): string {
  return [...(record.body || record.title).toWellFormed()].slice(0, textLimit).join('')
}

function tagFacets(text: string, tags: readonly string[]): object[] {
  const start = Buffer.byteLength(`${text} `)
  return tags.map((tag) => ({
    $type: 'app.bsky.richtext.facet',
    features: [{ $type: 'app.bsky.richtext.facet#tag', tag }],
    index: { byteStart: start, byteEnd: start + tag.length + 1 },
  }))
}

function embed(record: SimulatedRecord): { record: object; view: object } | null {
  if (record.id % 5 !== 0) return null
  const page = { uri: `https://blog.example/${record.id}`, title: record.product, description: '' }
  const thumb = { $type: 'blob', ref: { $link: 'bafkrei' }, mimeType: 'image/jpeg', size: 152_656 }
  return {
    record: { $type: 'app.bsky.embed.external', external: { ...page, thumb } },
    view: { $type: 'app.bsky.embed.external#view', external: { ...page, thumb: 'https://cdn.bsky.app/img/thumb' } },
  }
}

function reply(record: SimulatedRecord): object {
  if (record.id % 3 !== 0) return {}
  const parent = { cid: 'bafyreiparent', uri: `at://did:plc:${base32(1, 24)}/app.bsky.feed.post/${base32(7, 13)}` }
  return { reply: { parent, root: parent } }
}

/** One element of `posts` (`app.bsky.feed.defs#postView`). */
export function blueskyPost(record: SimulatedRecord): object {
  const createdAt = record.createdAt.toISOString()
  const text = postText(record)
  const embedded = embed(record)
  const ownName = record.author ? { displayName: record.author.name } : {}
  return {
    uri: postUri(record),
    cid: `bafyrei${base32(record.id, 20)}`,
    author: {
      did: authorId(record),
      handle: handle(record),
      ...ownName,
      avatar: 'https://cdn.bsky.app/img/avatar/plain/none@jpeg',
      associated: { chat: { allowIncoming: 'following' } },
      viewer: { muted: false, blockedBy: false },
      labels: [],
      createdAt,
    },
    record: {
      $type: 'app.bsky.feed.post',
      createdAt,
      ...(embedded ? { embed: embedded.record } : {}),
      facets: tagFacets(text, postTags(record)),
      langs: ['en'],
      ...reply(record),
      text,
    },
    ...(embedded ? { embed: embedded.view } : {}),
    replyCount: record.commentCount,
    repostCount: 0,
    likeCount: Math.max(0, record.votes),
    quoteCount: 0,
    indexedAt: createdAt,
    viewer: { threadMuted: false, embeddingDisabled: false },
    labels: record.fate === 'removed' ? [{ src: 'did:plc:labeller', uri: postUri(record), val: '!takedown' }] : [],
  }
}
