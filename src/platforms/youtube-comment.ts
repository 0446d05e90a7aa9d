import { asDate, asFields, asId, asInteger, asName, asString, asWebUrl, type Fields, foundRequest } from './fields.ts'
import type { FoundRequest } from './platform.ts'
import { htmlToPlainText, plainText } from './text.ts'

/** What is kept of a video that a search found. */
export interface Video {
  id: string
  /** Plain text. */
  title: string
}

/** How people say that they want something. It leaves out what plainly wishes nothing, no more. */
const wish = new RegExp(
  [
    String.raw`\b(?:feature requests?|suggestions?|wish(?:ed|es|ing)?|please|pls|plz|if only)\b`,
    String.raw`\b(?:would|could|might|it'd) be (?:\w+ ){0,2}(?:nice|great|good|cool|awesome|useful|helpful|better|perfect)\b`,
    String.raw`(?:\bwould|'d) (?:\w+ )?(?:love|like) (?:to see|to have|if|an?)\b`,
    String.raw`\b(?:can|could) (?:you|we|they) (?:\w+ )?(?:add|make|have|get|include|support|bring|allow)\b`,
    String.raw`\bshould (?:\w+ )?(?:add|have|be able|support|allow|include|let|make)\b`,
    String.raw`\bneeds? (?:an?|to|more|better|support)\b`,
    String.raw`\b(?:lacks?|missing)\b`,
  ].join('|'),
  'i',
)

export function isWish(text: string): boolean {
  return wish.test(text.replaceAll('’', "'"))
}

/**
 * One element of `commentThreads`: the comment that others reply to. It has no title of its own.
 * @returns null for what has no id, is not public or plainly wishes nothing.
 */
export function readThread(thread: Fields, video: Video): FoundRequest | null {
  const outer = asFields(thread.snippet)
  const comment = asFields(outer?.topLevelComment)
  const snippet = asFields(comment?.snippet)
  const sourceId = asId(comment?.id) ?? asId(thread.id)
  const description = readText(snippet)
  if (sourceId === null || outer?.isPublic === false || !isWish(description)) return null
  const videoId = asId(snippet?.videoId) ?? asId(outer?.videoId) ?? video.id
  const authorName = asName(snippet?.authorDisplayName)
  return foundRequest({
    sourceId,
    sourceUrl: `https://www.youtube.com/watch?v=${encodeURIComponent(videoId)}&lc=${encodeURIComponent(sourceId)}`,
    title: video.title,
    description,
    votes: asInteger(snippet?.likeCount) ?? 0,
    commentCount: asInteger(outer?.totalReplyCount),
    authorName,
    // Newer display names are often handles.
    authorHandle: authorName?.startsWith('@') ? asName(authorName.slice(1)) : null,
    authorProfileUrl: asWebUrl(snippet?.authorChannelUrl) ?? channelUrl(snippet),
    originalCreatedAt: asDate(snippet?.publishedAt),
  })
}

function channelUrl(snippet: Fields | null): string | null {
  const channelId = asId(asFields(snippet?.authorChannelId)?.value)
  return channelId && `https://www.youtube.com/channel/${encodeURIComponent(channelId)}`
}

/** The original is only promised to its author. What is displayed is plain because that is asked for, else HTML. */
function readText(snippet: Fields | null): string {
  const original = asString(snippet?.textOriginal)
  if (original) return plainText(original)
  const displayed = asString(snippet?.textDisplay) ?? ''
  const isHtml = /<br\s*\/?>|<a href=|<\/[abi]>|&(?:amp|lt|gt|quot|#39);/.test(displayed)
  return isHtml ? htmlToPlainText(displayed) : plainText(displayed)
}
