import type { DiscardReason } from '../../../database/column-types.ts'
import {
  asDate,
  asFields,
  asId,
  asInteger,
  asList,
  asName,
  asString,
  asWebUrl,
  type Fields,
  foundRequest,
} from '../../content/fields.ts'
import { cleanTags, markdownToPlainText, plainTitle } from '../../content/text.ts'
import type { FoundRequest } from '../../platform.ts'

/**
 * A post with its community, author and counts, as versions 0.18 and 0.19 write it (`counts`, `published`, `actor_id`) and as
 * 1.0 does (counts in the post, `published_at`, `ap_id`).
 */
export function readPostView(view: Fields): FoundRequest | DiscardReason | null {
  const post = asFields(view.post)
  // In version 4 of the API a comment, too, comes with its post.
  if (!post) return null
  if (asFields(view.comment)) return 'reply'
  // The address on the author's instance: the same wherever a copy of the post is found.
  const address = asWebUrl(post.ap_id)
  const sourceId = asId(address) ?? asId(address && new URL(address).href)
  const community = asFields(view.community)
  if (address === null || sourceId === null) return null
  if (isGone(post) || isGone(community)) return 'removed'
  const counts = { ...post, ...asFields(view.counts) }
  const creator = asFields(view.creator)
  const profileUrl = asWebUrl(creator?.actor_id) ?? asWebUrl(creator?.ap_id)
  return foundRequest({
    sourceId,
    sourceUrl: address,
    title: plainTitle(asString(post.name) ?? ''),
    description: markdownToPlainText(asString(post.body) ?? ''),
    votes: asInteger(counts.score) ?? asInteger(counts.upvotes) ?? 0,
    tags: cleanTags([community?.name, ...(asList(view.tags) ?? []).map(tagName)]),
    commentCount: asInteger(counts.comments),
    authorName: asName(creator?.display_name) ?? asName(creator?.name),
    authorHandle: handleOf(creator?.name, profileUrl),
    authorProfileUrl: profileUrl,
    originalCreatedAt: asDate(post.published) ?? asDate(post.published_at),
  })
}

/** By its author or by a moderator, of the community or of this instance. */
function isGone(thing: Fields | null): boolean {
  return thing !== null && [thing.deleted, thing.removed, thing.local_removed].includes(true)
}

function tagName(tag: unknown): unknown {
  const fields = asFields(tag)
  return asName(fields?.display_name) ?? fields?.name
}

/** `name@host`, as people are called across instances. */
function handleOf(name: unknown, profileUrl: string | null): string | null {
  const known = asName(name)
  return known && profileUrl ? `${known}@${new URL(profileUrl).host}` : known
}
