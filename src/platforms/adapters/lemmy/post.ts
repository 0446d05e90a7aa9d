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

/** Readable communities of Lemmy 1.0; older versions have only public ones. */
const openVisibilities: ReadonlySet<string> = new Set(['public', 'unlisted', 'localonlypublic'])

/**
 * Reads the form of 0.18 and 0.19 (`counts`, `published`, `actor_id`) and of 1.0 (counts in the post, `published_at`,
 * `ap_id`). Lemmy has no status for wishes.
 */
export function readPostView(view: Fields): ItemResult {
  const post = asFields(view.post)
  // API version 4 also sends comments with their post.
  if (!post || asFields(view.comment)) return post ? 'reply' : null
  // On the author's instance: the same for every copy of the post.
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

/** Deleted by its author or a moderator of community or instance. */
function isGone(thing: Fields | null): boolean {
  return thing !== null && [thing.deleted, thing.removed, thing.local_removed].includes(true)
}

/** `!name@host`, which identifies a community on every instance. */
function communityNameOf(community: Fields | null): string | null {
  const name = handleOf(community?.name, asWebUrl(community?.actor_id) ?? asWebUrl(community?.ap_id))
  return name && `!${name}`
}

function tagName(tag: unknown): unknown {
  const fields = asFields(tag)
  return asName(fields?.display_name) ?? fields?.name
}

function handleOf(name: unknown, profileUrl: string | null): string | null {
  const known = asName(name)
  return known && profileUrl ? `${known}@${new URL(profileUrl).host}` : known
}
