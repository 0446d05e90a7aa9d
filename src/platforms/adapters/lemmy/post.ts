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
import type { ItemResult } from '../../content/items.ts'
import { cleanTags, flowingMarkdownToPlainText, plainTitle } from '../../content/text.ts'

/** Who may read a community of Lemmy 1.0; older versions have only public ones. */
const openVisibilities: ReadonlySet<string> = new Set(['public', 'unlisted', 'localonlypublic'])

/**
 * Reads the form of 0.18 and 0.19 (`counts`, `published`, `actor_id`) and of 1.0 (counts in the post, `published_at`,
 * `ap_id`). Lemmy has no status for wishes.
 */
export function readPostView(view: Fields): ItemResult {
  const post = asFields(view.post)
  // In version 4 of the API a comment, too, comes with its post.
  if (!post || asFields(view.comment)) return post ? 'reply' : null
  // The address on the author's instance: the same wherever a copy of the post is found.
  const address = asWebUrl(post.ap_id)
  const sourceId = asId(address) ?? asId(address && new URL(address).href)
  const community = asFields(view.community)
  if (isGone(post) || isGone(community)) return 'removed'
  const visibility = (asString(community?.visibility) ?? 'public').toLowerCase().replaceAll('_', '')
  if (!openVisibilities.has(visibility)) return 'notPublic'
  if (address === null || sourceId === null) return null
  const counts = { ...post, ...asFields(view.counts) }
  const creator = asFields(view.creator)
  const profileUrl = asWebUrl(creator?.actor_id) ?? asWebUrl(creator?.ap_id)
  return foundRequest({
    sourceId,
    sourceUrl: address,
    title: plainTitle(asString(post.name) ?? ''),
    description: flowingMarkdownToPlainText(asString(post.body) ?? ''),
    votes: asInteger(counts.score) ?? counts.upvotes,
    tags: cleanTags([community?.name, ...(asList(view.tags) ?? []).map(tagName)]),
    commentCount: counts.comments,
    authorName: asName(creator?.display_name) ?? creator?.name,
    authorHandle: handleOf(creator?.name, profileUrl),
    authorProfileUrl: profileUrl,
    originalCreatedAt: asDate(post.published) ?? post.published_at,
    sourceName: communityNameOf(community),
  })
}

/** By its author or by a moderator, of the community or of this instance. */
function isGone(thing: Fields | null): boolean {
  return thing !== null && [thing.deleted, thing.removed, thing.local_removed].includes(true)
}

/** `!name@host`, by which a community is found on every instance. */
function communityNameOf(community: Fields | null): string | null {
  const name = handleOf(community?.name, asWebUrl(community?.actor_id) ?? asWebUrl(community?.ap_id))
  return name && `!${name}`
}

function tagName(tag: unknown): unknown {
  const fields = asFields(tag)
  return asName(fields?.display_name) ?? fields?.name
}

/** `name@host`, as people and communities are called across instances. */
function handleOf(name: unknown, profileUrl: string | null): string | null {
  const known = asName(name)
  return known && profileUrl ? `${known}@${new URL(profileUrl).host}` : known
}
