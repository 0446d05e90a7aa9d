import type { SimulatedRecord } from '../records.ts'

const home = 'https://orchard.example'
const community = 'wishes'

/** Where the post was written: instances that have a copy give the same. */
export function postUrl(record: SimulatedRecord): string {
  return `${home}/post/${record.id}`
}

/** How an instance's version writes what has changed its form. */
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
    avatar: `${home}/pictrs/image/1.webp`,
    banned: false,
    ...timeFields('published', record.createdAt, version),
    ...actorField(`${home}/u/${name}`, version),
    local: false,
    deleted: record.author === null,
    admin: false,
    bot_account: false,
    instance_id: 1,
  }
}

/** One element of `posts`. An absent body is left out. */
export function lemmyPostView(record: SimulatedRecord, version: LemmyVersion): object {
  const counts = {
    comments: record.commentCount,
    score: record.votes,
    upvotes: Math.max(0, record.votes),
    downvotes: 0,
  }
  const published = timeFields('published', record.createdAt, version)
  const newest = record.createdAt.toISOString()
  return {
    post: {
      id: (record.id % 100_000) + 1,
      name: record.title,
      ...(record.body === null ? {} : { body: record.body }),
      creator_id: record.author?.id ?? 1,
      community_id: 5,
      removed: false,
      locked: false,
      ...published,
      deleted: false,
      nsfw: false,
      ap_id: postUrl(record),
      local: false,
      language_id: 0,
      featured_community: false,
      featured_local: false,
      ...(version === '1.0' ? counts : {}),
    },
    creator: creator(record, version),
    community: {
      id: 5,
      name: community,
      title: 'Wishes for software',
      description: 'What is missing, and why.',
      removed: false,
      ...timeFields('published', new Date(0), version),
      updated: newest,
      deleted: false,
      nsfw: false,
      ...actorField(`${home}/c/${community}`, version),
      local: false,
      icon: `${home}/pictrs/image/2.webp`,
      hidden: false,
      posting_restricted_to_mods: false,
      instance_id: 1,
    },
    creator_banned_from_community: false,
    ...(version === '1.0' ? { tags: [] } : { counts: { ...countsRow(record), ...counts, ...published } }),
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
