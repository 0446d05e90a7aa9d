import { unescapeText } from '../../content/escaped-text.ts'
import {
  asEpochSeconds,
  asFields,
  asId,
  asInteger,
  asName,
  asString,
  type Fields,
  foundRequest,
} from '../../content/fields.ts'
import type { ItemResult } from '../../content/items.ts'
import { cleanTags, flowingMarkdownToPlainText, plainTitle } from '../../content/text.ts'

const siteUrl = 'https://www.reddit.com'

/** Shown in place of text removed by its author, a moderator or Reddit; some name the remover. */
const absentText = /^\[\s*(?:(?:removed|deleted)(?: by \w+)?\s*\]$|removed by reddit\b)/i

/** Public community types; `restricted` only limits posting (reddit.com/dev/api, `subreddit_type`). */
export const openCommunities: ReadonlySet<unknown> = new Set(['public', 'restricted', 'archived', 'user'])

/** Null if it is no post. Removed ones must not be stored (Reddit's terms). `locked` and `archived` are no status. */
export function readRedditPost(child: Fields, isEscaped: boolean): ItemResult {
  const post = asFields(child.data)
  const name = redditNameOf(child)
  if (!post || name === null) return null
  if (!openCommunities.has(post.subreddit_type ?? 'public')) return 'notPublic'
  const read = (value: unknown) => (isEscaped ? unescapeText(asString(value) ?? '') : (asString(value) ?? ''))
  const title = read(post.title)
  const text = read(post.selftext)
  if (asString(post.removed_by_category) || [title, text].some((part) => absentText.test(part.trim()))) return 'removed'
  const author = post.author === '[deleted]' ? null : asName(post.author)
  const community = asName(post.subreddit)
  return foundRequest({
    sourceId: name,
    sourceUrl: postUrl(post, name),
    title: plainTitle(title),
    description: flowingMarkdownToPlainText(text),
    votes: asInteger(post.score) ?? post.ups,
    tags: cleanTags([read(post.link_flair_text), post.subreddit]),
    commentCount: post.num_comments,
    authorHandle: author,
    authorProfileUrl: author && `${siteUrl}/user/${encodeURIComponent(author)}`,
    // `created` is in the server's time zone.
    originalCreatedAt: asEpochSeconds(post.created_utc),
    sourceName: community && `r/${community}`,
    refreshHandle: name,
  })
}

/** A post's fullname, such as `t3_abc`; null if it is no post. */
export function redditNameOf(child: Fields): string | null {
  const post = asFields(child.data)
  const name = asId(post?.name) ?? `t3_${asId(post?.id) ?? ''}`
  return /^t3_\w+$/.test(name) && (child.kind ?? 't3') === 't3' ? name : null
}

/** A server that ignores `raw_json` escapes all text, visible in the HTML of any text post. */
export function isEscapedListing(children: unknown[]): boolean {
  return children.some((child) => {
    const html = asString(asFields(asFields(child)?.data)?.selftext_html)
    return html?.startsWith('&lt;') ?? false
  })
}

/** `url` is what a post links to, not the post. Anything after the path (`?ref=…`) is only tracking. */
function postUrl({ permalink }: Fields, name: string): string {
  const path = asString(permalink)?.replace(/[?#].*$/s, '') ?? null
  const isPath = path !== null && path.length < 1000 && /^\/[^\s\p{Cc}\p{Surrogate}]*$/u.test(path)
  return siteUrl + (isPath ? path : `/comments/${name.slice('t3_'.length)}`)
}
