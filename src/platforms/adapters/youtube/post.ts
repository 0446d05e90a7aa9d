import type { DiscardReason } from '../../../database/column-types.ts'
import {
  asDate,
  asFields,
  asId,
  asInteger,
  asName,
  asString,
  asWebUrl,
  type Fields,
  foundRequest,
} from '../../content/fields.ts'
import { htmlToPlainText, plainText } from '../../content/text.ts'
import type { FoundRequest } from '../../platform.ts'

/** What is cached of a video that a search found. */
export interface Video {
  id: string
  /** Plain text. */
  title: string
}

/**
 * One element of `commentThreads`: the comment that others reply to. It has no title of its own.
 * @returns null for a comment without an id.
 */
export function readThread(thread: Fields, video: Video): FoundRequest | DiscardReason | null {
  const outer = asFields(thread.snippet)
  const comment = asFields(outer?.topLevelComment)
  const snippet = asFields(comment?.snippet)
  const sourceId = asId(comment?.id) ?? asId(thread.id)
  const description = readText(snippet)
  if (sourceId === null) return null
  if (outer?.isPublic === false) return 'notPublic'
  if (description === '') return 'noText'
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

/** Only the author is sure to get `textOriginal`. `textDisplay` is plain if the request says so, else HTML. */
function readText(snippet: Fields | null): string {
  const original = asString(snippet?.textOriginal)
  if (original) return plainText(original)
  const displayed = asString(snippet?.textDisplay) ?? ''
  const isHtml = /<br\s*\/?>|<a href=|<\/[abi]>|&(?:amp|lt|gt|quot|#39);/.test(displayed)
  return isHtml ? htmlToPlainText(displayed) : plainText(displayed)
}
