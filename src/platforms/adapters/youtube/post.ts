import { asFields, asId, asName, asString, asWebUrl, type Fields, foundRequest } from '../../content/fields.ts'
import type { ItemResult } from '../../content/items.ts'
import { htmlToPlainText, plainText } from '../../content/text.ts'

export interface Video {
  id: string
  title: string
}

/** Comments the channel owner has not published; an API key should never receive them. */
const heldStatuses: ReadonlySet<unknown> = new Set(['heldForReview', 'likelySpam', 'rejected'])

/** `id`, video and title of a comment: reading it alone lacks the title, and sometimes the video. */
export const refreshHandleOf = (commentId: string, videoId: string, title: string): string =>
  `${commentId} ${videoId} ${title}`.trimEnd()

/** Parses a handle made by `refreshHandleOf`. */
export function readRefreshHandle(handle: string): { commentId: string; video: Video } {
  const [commentId = '', id = '', ...title] = handle.split(' ')
  return { commentId, video: { id, title: title.join(' ') } }
}

/** The title is the first sentence, the source the video. @returns null without an id, else why it is left out */
export function readThread(thread: Fields, video: Video): ItemResult {
  const outer = asFields(thread.snippet)
  const comment = asFields(outer?.topLevelComment)
  const snippet = asFields(comment?.snippet)
  const sourceId = asId(comment?.id) ?? asId(thread.id)
  if (sourceId === null || !snippet) return null
  if (asId(snippet.parentId) !== null) return 'reply'
  if (outer?.isPublic === false || heldStatuses.has(snippet.moderationStatus)) return 'notPublic'
  const description = readText(snippet)
  if (description === '') return 'noText'
  const videoId = asId(snippet.videoId) ?? asId(outer?.videoId) ?? video.id
  const authorName = asName(snippet.authorDisplayName)
  return foundRequest({
    sourceId,
    sourceUrl: `https://www.youtube.com/watch?v=${encodeURIComponent(videoId)}&lc=${encodeURIComponent(sourceId)}`,
    title: '',
    description,
    votes: snippet.likeCount,
    commentCount: outer?.totalReplyCount,
    authorName,
    // Newer display names are often handles.
    authorHandle: authorName?.startsWith('@') ? asName(authorName.slice(1)) : null,
    authorProfileUrl: asWebUrl(snippet.authorChannelUrl) ?? channelUrl(snippet),
    originalCreatedAt: snippet.publishedAt,
    sourceName: video.title || null,
    refreshHandle: refreshHandleOf(sourceId, videoId, video.title),
  })
}

function channelUrl(snippet: Fields): string | null {
  const channelId = asId(asFields(snippet.authorChannelId)?.value)
  return channelId && `https://www.youtube.com/channel/${encodeURIComponent(channelId)}`
}

/** Only the author is sure to get `textOriginal`. `textDisplay` is plain text if requested, else HTML. */
function readText(snippet: Fields): string {
  const original = asString(snippet.textOriginal)
  if (original) return plainText(original)
  const displayed = asString(snippet.textDisplay) ?? ''
  const isHtml = /<br\s*\/?>|<a href=|<\/[abi]>|&(?:amp|lt|gt|quot|#39);/.test(displayed)
  return isHtml ? htmlToPlainText(displayed) : plainText(displayed)
}
