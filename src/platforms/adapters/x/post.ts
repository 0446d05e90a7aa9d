import type { DiscardReason } from '../../../database/column-types.ts'
import { unescapeText } from '../../content/escaped-text.ts'
import {
  asDate,
  asFields,
  asId,
  asInteger,
  asList,
  asName,
  asString,
  type Fields,
  foundRequest,
} from '../../content/fields.ts'
import { cleanTags, plainText } from '../../content/text.ts'
import type { FoundRequest } from '../../platform.ts'

/** The users of `includes`, without those that are suspended or deleted. */
export function usersById(users: unknown): Map<string, Fields> {
  const byId = new Map<string, Fields>()
  for (const user of asList(users) ?? []) {
    const fields = asFields(user)
    const id = asId(fields?.id)
    if (fields && id !== null) byId.set(id, fields)
  }
  return byId
}

/** A post has no title: the first sentence of its text becomes one. Null for a retweet. */
export function readXPost(post: Fields, users: ReadonlyMap<string, Fields>): FoundRequest | DiscardReason | null {
  const sourceId = asId(post.id)
  if (sourceId === null || isRetweet(post)) return null
  const user = users.get(asId(post.author_id) ?? '')
  // A token of a person, not of an application, also opens the posts of protected accounts that the person follows.
  if (user?.protected === true) return 'notPublic'
  const handle = asName(user?.username)
  const profileUrl = handle && `https://x.com/${encodeURIComponent(handle)}`
  // The text of a long post is cut off; `note_tweet` has all of it, and its own hashtags.
  const note = asFields(post.note_tweet)
  const metrics = asFields(post.public_metrics)
  return foundRequest({
    sourceId,
    // X redirects `/i/status/` to the post of any author.
    sourceUrl: `${profileUrl ?? 'https://x.com/i'}/status/${encodeURIComponent(sourceId)}`,
    title: '',
    description: plainText(unescapeText(asString(note?.text) || asString(post.text) || '')),
    votes: asInteger(metrics?.like_count) ?? 0,
    tags: cleanTags([...hashtags(post), ...hashtags(note)]),
    commentCount: asInteger(metrics?.reply_count),
    authorName: asName(user?.name),
    authorHandle: handle,
    authorProfileUrl: profileUrl,
    originalCreatedAt: asDate(post.created_at),
  })
}

function hashtags(text: Fields | null): unknown[] {
  const found = asList(asFields(text?.entities)?.hashtags) ?? []
  return found.map((hashtag) => asFields(hashtag)?.tag)
}

/** By its references, or by its text in a body without references. */
function isRetweet(post: Fields): boolean {
  const references = asList(post.referenced_tweets) ?? []
  return (
    references.some((reference) => asFields(reference)?.type === 'retweeted') ||
    /^RT @\w+:/.test(asString(post.text) ?? '')
  )
}
