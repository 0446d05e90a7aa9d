import { asDate, asFields, asId, asList, asString, type Fields, foundRequest } from '../../content/fields.ts'
import { cleanTags, plainText } from '../../content/text.ts'
import type { FoundRequest } from '../../platform.ts'

/**
 * Labels that hide a post (docs.bsky.app/docs/advanced-guides/moderation). `!no-unauthenticated` does not: Wishwell's
 * readers are signed in.
 */
const hidingLabels: ReadonlySet<unknown> = new Set(['!hide', '!takedown', '!suspend', 'spam'])

/** Reads an `app.bsky.feed.defs#postView`. @returns `removed` for a hidden post, null for anything else */
export function readBlueskyPost(post: Fields, now: Date): FoundRequest | 'removed' | null {
  const uri = asId(post.uri)
  const record = asFields(post.record)
  const author = asFields(post.author)
  const address = /^at:\/\/(did:[a-z]+:[\w.:%-]+)\/app\.bsky\.feed\.post\/([\w.:~-]+)$/.exec(uri ?? '')
  if (uri === null || !address || !record) return null
  if (isHidden(post) || (author && isHidden(author))) return 'removed'
  const [, did, recordKey] = address
  const handle = readHandle(author?.handle)
  const profileUrl = `https://bsky.app/profile/${handle ?? did}`
  return foundRequest({
    sourceId: uri,
    sourceUrl: `${profileUrl}/post/${recordKey}`,
    title: '',
    description: plainText(asString(record.text) ?? ''),
    votes: post.likeCount,
    tags: cleanTags([...facetTags(record.facets), ...(asList(record.tags) ?? [])]),
    commentCount: post.replyCount,
    authorName: author?.displayName,
    authorHandle: handle,
    authorProfileUrl: profileUrl,
    originalCreatedAt: creationDate(record, post, now),
    refreshHandle: uri,
  })
}

/** `handle.invalid` means the handle does not, or no longer, belong to the user (atproto.com/specs/handle). */
function readHandle(value: unknown): string | null {
  const handle = asString(value)
  return handle !== null && /^[a-z0-9][a-z0-9.-]{1,252}$/i.test(handle) && handle !== 'handle.invalid' ? handle : null
}

/** A label with `neg` withdraws an earlier one. */
function isHidden({ labels }: Fields): boolean {
  const values = (negated: boolean) =>
    (asList(labels) ?? [])
      .filter((label) => (asFields(label)?.neg === true) === negated)
      .map((label) => asFields(label)?.val)
  const withdrawn = new Set(values(true))
  return values(false).some((value) => hidingLabels.has(value) && !withdrawn.has(value))
}

function facetTags(facets: unknown): unknown[] {
  const features = (asList(facets) ?? []).flatMap((facet) => asList(asFields(facet)?.features) ?? [])
  return features
    .map(asFields)
    .filter((feature) => feature?.$type === 'app.bsky.richtext.facet#tag')
    .map((feature) => feature?.tag)
}

/** The author's client sets `createdAt`; if it lies in the future, the server's date is used. */
function creationDate(record: Fields, post: Fields, now: Date): Date | null {
  const claimed = asDate(record.createdAt)
  return claimed && claimed <= now ? claimed : asDate(post.indexedAt)
}
