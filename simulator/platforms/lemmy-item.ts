import type { SimulatedRecord } from '../records.ts'

const origin = 'https://orchard.example'
const community = 'wishes'

/** The post at its own instance; the copies of other instances have the same address. */
export function postUrl(record: SimulatedRecord): string {
  return `${origin}/post/${record.id}`
}

/** Versions whose answers have different forms. */
export type LemmyVersion = '0.18' | '0.19' | '1.0'

function timeFields(name: 'published', date: Date, version: LemmyVersion): object {
  const time = date.toISOString().replace(/\.\d+Z$/, '.254290')
  if (version === '0.18') return { [name]: time }
  return { [version === '1.0' ? `${name}_at` : name]: `${time}Z` }
}

function actorField(url: string, version: LemmyVersion): object {
  return version === '1.0' ? { ap_id: url } : { actor_id: url }
}

function creator(record: SimulatedRecord, version: LemmyVersion): object {
  const name = record.author?.handle ?? 'gone'
  return {
    id: record.author?.id ?? 1,
    name,
    ...(record.author && record.author.id % 2 === 0 ? { display_name: record.author.name } : {}),
    avatar: `${origin}/pictrs/image/1.webp`,
    banned: false,
    ...timeFields('published', record.createdAt, version),
    ...actorField(`${origin}/u/${name}`, version),
    local: false,
    deleted: record.author === null,
    admin: false,
    bot_account: false,
    instance_id: 1,
  }
}

const countFields = (record: SimulatedRecord) => ({
  comments: record.commentCount,
  score: record.votes,
  upvotes: Math.max(0, record.votes),
  downvotes: 0,
})

/** An absent body is left out. */
function post(record: SimulatedRecord, version: LemmyVersion): object {
  return {
    id: (record.id % 100_000) + 1,
    name: record.title,
    ...(record.body === null ? {} : { body: record.body }),
    creator_id: record.author?.id ?? 1,
    community_id: 5,
    removed: record.fate === 'removed',
    locked: false,
    ...timeFields('published', record.createdAt, version),
    deleted: false,
    nsfw: false,
    ap_id: postUrl(record),
    local: false,
    language_id: 0,
    featured_community: false,
    featured_local: false,
    ...(version === '1.0' ? countFields(record) : {}),
  }
}

function communityOf(record: SimulatedRecord, version: LemmyVersion): object {
  return {
    id: 5,
    name: community,
    title: 'Wishes for software',
    description: 'What is missing, and why.',
    removed: false,
    ...timeFields('published', new Date(0), version),
    updated: record.createdAt.toISOString(),
    deleted: false,
    nsfw: false,
    ...actorField(`${origin}/c/${community}`, version),
    local: false,
    icon: `${origin}/pictrs/image/2.webp`,
    hidden: false,
    posting_restricted_to_mods: false,
    instance_id: 1,
    ...(version === '1.0' ? { visibility: record.fate === 'private' ? 'Private' : 'Public' } : {}),
  }
}

/** One element of `posts`. */
export function lemmyPostView(record: SimulatedRecord, version: LemmyVersion): object {
  const published = timeFields('published', record.createdAt, version)
  const counts = { ...countsRow(record), ...countFields(record), ...published }
  return {
    post: post(record, version),
    creator: creator(record, version),
    community: communityOf(record, version),
    creator_banned_from_community: false,
    ...(version === '1.0' ? { tags: [] } : { counts }),
    subscribed: 'NotSubscribed',
    saved: false,
    read: false,
    creator_blocked: false,
    unread_comments: record.commentCount,
  }
}

function countsRow(record: SimulatedRecord): object {
  const newest = record.createdAt.toISOString()
  return {
    id: record.id,
    post_id: (record.id % 100_000) + 1,
    newest_comment_time_necro: newest,
    newest_comment_time: newest,
    featured_community: false,
    featured_local: false,
    hot_rank: 0,
    hot_rank_active: 0,
    community_id: 5,
    creator_id: record.author?.id ?? 1,
  }
}
