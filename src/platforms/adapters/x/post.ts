import { unescapeText } from '../../content/escaped-text.ts'
import { asFields, asId, asList, asName, asString, asWebUrl, type Fields, foundRequest } from '../../content/fields.ts'
import { cleanTags, firstSentence, plainText } from '../../content/text.ts'
import type { FoundRequest } from '../../platform.ts'

const shortLink = /https?:\/\/t\.co\/\w+/gi
/** Stands for the post's own picture or video. */
const mediaAddress = /^https?:\/\/(?:twitter|x)\.com\/\w+\/status\/\d+\/(?:photo|video)\/\d+$/i

/** Expands `t.co` links and drops those of the post's own pictures. Text of unknown links alone counts as none. */
function readXText(post: Fields, note: Fields | null): { description: string; withoutLinks: string } {
  const text = unescapeText(asString(note?.text) || asString(post.text) || '')
  const addresses = new Map([...linksOf(post), ...linksOf(note)])
  const written = text.replace(shortLink, (link) => addresses.get(link) ?? link)
  const withoutLinks = plainText(text.replace(shortLink, '').replace(/ {2,}/g, ' '))
  const hasOnlyUnknownLinks = withoutLinks === '' && plainText(written.replace(shortLink, '')) === ''
  return { description: hasOnlyUnknownLinks ? '' : plainText(written), withoutLinks }
}

/** Short links of a text, with the addresses readers see. */
function linksOf(text: Fields | null): [string, string][] {
  return (asList(asFields(text?.entities)?.urls) ?? []).flatMap((entity) => {
    const fields = asFields(entity)
    const link = asString(fields?.url)
    const address = asWebUrl(fields?.unwound_url) ?? asWebUrl(fields?.expanded_url)
    if (link === null || address === null) return []
    const isMedia = mediaAddress.test(address) || typeof fields?.media_key === 'string'
    return [[link, isMedia ? '' : address] as [string, string]]
  })
}

/** Users in `includes`, without suspended or deleted ones. */
export function usersById(users: unknown): Map<string, Fields> {
  const byId = new Map<string, Fields>()
  for (const user of asList(users) ?? []) {
    const fields = asFields(user)
    const id = asId(fields?.id)
    if (fields && id !== null) byId.set(id, fields)
  }
  return byId
}

/**
 * The title is the first sentence, without links.
 * @returns null for a retweet, `notPublic` for a protected account, `removed` if withheld in any country
 */
export function readXPost(
  post: Fields,
  users: ReadonlyMap<string, Fields>,
): FoundRequest | 'notPublic' | 'removed' | null {
  const sourceId = asId(post.id)
  if (sourceId === null || isRetweet(post)) return null
  const user = users.get(asId(post.author_id) ?? '')
  // A user token, unlike an app token, also reads protected accounts that the user follows.
  if (user?.protected === true) return 'notPublic'
  if (asFields(post.withheld) ?? asFields(user?.withheld)) return 'removed'
  const handle = asName(user?.username)
  const profileUrl = handle && `https://x.com/${encodeURIComponent(handle)}`
  // `note_tweet` has a long post's full text and hashtags.
  const note = asFields(post.note_tweet)
  const metrics = asFields(post.public_metrics)
  const { description, withoutLinks } = readXText(post, note)
  return foundRequest({
    sourceId,
    // X redirects `/i/status/` for any author.
    sourceUrl: `${profileUrl ?? 'https://x.com/i'}/status/${encodeURIComponent(sourceId)}`,
    title: firstSentence(withoutLinks),
    description,
    votes: metrics?.like_count,
    tags: cleanTags([...hashtags(post), ...hashtags(note)]),
    commentCount: metrics?.reply_count,
    authorName: user?.name,
    authorHandle: handle,
    authorProfileUrl: profileUrl,
    originalCreatedAt: post.created_at,
  })
}

function hashtags(text: Fields | null): unknown[] {
  const found = asList(asFields(text?.entities)?.hashtags) ?? []
  return found.map((hashtag) => asFields(hashtag)?.tag)
}

/** By references, or by text in a body without them. */
function isRetweet(post: Fields): boolean {
  const references = asList(post.referenced_tweets) ?? []
  return (
    references.some((reference) => asFields(reference)?.type === 'retweeted') ||
    /^RT @\w+:/.test(asString(post.text) ?? '')
  )
}
