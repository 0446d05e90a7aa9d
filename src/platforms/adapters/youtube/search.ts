import { dayMs } from '../../../runtime/durations.ts'
import type { Budget } from '../../budget/budget.ts'
import { asDate, asFields, asId, asString, type Fields } from '../../content/fields.ts'
import { readItems, requiredList } from '../../content/items.ts'
import { escapedTitle } from '../../content/text.ts'
import type { CachingAdapterDependencies } from '../../definition.ts'
import {
  type Json,
  type Page,
  type PageRequest,
  type Platform,
  PlatformError,
  SourceRefusedError,
} from '../../platform.ts'
import { searchWords } from '../../topic-words.ts'
import { isoSecond, reachesOlder } from '../newest-first.ts'
import { fetchRoundRobin, type SourcePage } from '../round-robin.ts'
import {
  type CallYoutube,
  ClosedVideoError,
  createYoutubeCall,
  type YoutubeCallOptions,
  youtubeLimits,
} from './call.ts'
import { readThread, type Video } from './post.ts'
import { createYoutubeRefresh } from './refresh.ts'
import {
  asPageToken,
  asReading,
  createVideoCache,
  nextOfNewest,
  nextReading,
  phraseOf,
  phrases,
  type VideoCache,
} from './videos.ts'

export type YoutubeOptions = CachingAdapterDependencies & YoutubeCallOptions

const videosPerSearch = 50
const commentsPerPage = 100
/** Videos with unreadable answers are skipped; this many on one page are the platform's fault. */
const failureLimit = 3
/** Maximum age of a video searched by date: older ones have few new comments, or are among the most relevant. */
const youngVideoMs = 14 * dayMs

interface Youtube {
  call: CallYoutube
  searchBudget: Budget
  commentBudget: Budget
  videoCache: VideoCache
}

/**
 * Comments with a wish, on the videos found for the topic (`GET /search`, 50 by relevance, cached for a day because the
 * quota is 100 searches). A page is one `GET /commentThreads` of one video, by relevance (by time it has returned 20 of
 * 100: sameerdash2/comment-viewer#10), narrowed by `searchTerms`. These may be ignored
 * (googleapis/google-api-nodejs-client#3380) and match replies, so comments without the phrase are kept out by
 * `contextIsTopic` (`settings.ts`).
 * New comments are read by time, without phrases, on the same videos and on those of a second search for young ones.
 */
export function createYoutube(options: YoutubeOptions): Platform {
  const { clock, openBudget, cache, baseUrl } = options
  const limits = youtubeLimits(baseUrl)
  const youtube: Youtube = {
    call: createYoutubeCall(options),
    searchBudget: openBudget(limits.search),
    commentBudget: openBudget(limits.comments),
    videoCache: createVideoCache(cache, clock),
  }
  return {
    name: 'youtube',
    fetchPage: (request) => fetchPage(youtube, request),
    refresh: createYoutubeRefresh(youtube),
  }
}

async function fetchPage(youtube: Youtube, request: PageRequest): Promise<Page | null> {
  // `|` is YouTube's OR.
  const words = searchWords(request.topic.replaceAll('|', ' ')).join(' ')
  if (words === '') return null
  const searches = videoSearches(words, request.newestSince)
  const videos = await findVideos(youtube, words, searches, request.signal)
  if (videos.length === 0) return null
  return fetchFromVideos(youtube, videos, searches, request)
}

/** A cached search stays usable if the day's searches are used up before the next one. */
async function findVideos(
  youtube: Youtube,
  words: string,
  searches: readonly VideoSearch[],
  signal: AbortSignal,
): Promise<Video[]> {
  const videos: Video[] = []
  for (const { key, order } of searches) {
    const search = () => searchVideos(youtube, words, order, signal)
    try {
      videos.push(...(await youtube.videoCache.get(key, signal, search)))
    } catch (error) {
      const isSpent = error instanceof PlatformError && error.code === 'quota_exhausted'
      if (!isSpent || videos.length === 0) throw error
    }
  }
  return videos
}

interface VideoSearch {
  key: string
  order: Record<string, string>
}

function videoSearches(words: string, since: Date | null | undefined): VideoSearch[] {
  const relevant = { key: words, order: { order: 'relevance' } }
  if (!since) return [relevant]
  // All jobs of a day share a search: a watch may run hourly, and the quota is 100 a day.
  const publishedAfter = isoSecond(new Date(Math.floor((since.getTime() - youngVideoMs) / dayMs) * dayMs))
  return [relevant, { key: `${words}\n${publishedAfter}`, order: { order: 'date', publishedAfter } }]
}

async function searchVideos(
  { call, searchBudget }: Youtube,
  words: string,
  order: VideoSearch['order'],
  signal: AbortSignal,
): Promise<Video[]> {
  const { body } = await call({
    path: '/search',
    parameters: { type: 'video', q: words, ...order, maxResults: videosPerSearch },
    budget: searchBudget,
    signal,
    isAboutVideo: false,
  })
  const items = listOf(body, 'videos')
  return items.map(readVideo).filter((video) => video !== null)
}

async function fetchFromVideos(
  youtube: Youtube,
  videos: Video[],
  searches: readonly VideoSearch[],
  request: PageRequest,
): Promise<Page | null> {
  const byId = new Map(videos.map((video) => [video.id, video]))
  const firstPhrase = Math.floor(request.pagesBefore / videos.length) % phrases.length
  const failures: PlatformError[] = []
  const fetchFrom = async (id: string, cursor: Json) => {
    try {
      return await fetchComments(youtube, byId.get(id)!, { cursor, firstPhrase, request })
    } catch (error) {
      // Also in the cache: if the next request must wait, no cursor records it.
      if (error instanceof ClosedVideoError) for (const { key } of searches) await youtube.videoCache.drop(key, id)
      if (!isUnreadable(error)) throw error
      failures.push(error)
      throw failures.length < failureLimit ? new SourceRefusedError(error.message) : error
    }
  }
  const page = await fetchRoundRobin({ sources: [...byId.keys()], request, fetchFrom }).catch((error) => {
    // If all remaining videos are closed, the search just ends.
    if (error instanceof ClosedVideoError) return null
    throw error
  })
  if (page === null && failures.length > 0 && request.cursor === null) throw failures[0]
  return page
}

interface VideoPage {
  cursor: Json
  firstPhrase: number
  request: PageRequest
}

async function fetchComments(
  { call, commentBudget }: Youtube,
  video: Video,
  { cursor, firstPhrase, request: { signal, newestSince } }: VideoPage,
): Promise<SourcePage> {
  const reading = asReading(cursor, firstPhrase)
  const { body } = await call({
    path: '/commentThreads',
    parameters: {
      videoId: video.id,
      ...(newestSince ? { order: 'time' } : { searchTerms: phraseOf(reading), order: 'relevance' }),
      textFormat: 'plainText',
      maxResults: commentsPerPage,
      ...(reading.token === null ? {} : { pageToken: reading.token }),
    },
    budget: commentBudget,
    signal,
    isAboutVideo: true,
  })
  const items = listOf(body, 'comments')
  const token = items.length > 0 ? asPageToken(asFields(body)?.nextPageToken) : null
  const { requests, discarded } = await readItems(items, (thread) => readThread(thread, video))
  if (!newestSince) return { requests, discarded, nextCursor: nextReading(reading, token) }
  const isOver = reachesOlder(items, publishedAt, newestSince)
  return { requests, discarded, nextCursor: isOver ? null : nextOfNewest(token, reading.token) }
}

function publishedAt(thread: Fields): Date | null {
  const comment = asFields(asFields(thread.snippet)?.topLevelComment)
  return asDate(asFields(comment?.snippet)?.publishedAt)
}

const listOf = (body: unknown, items: string) =>
  requiredList(asFields(body)?.items, { label: 'youtube', items, variable: 'YOUTUBE_API_URL' })

/** The answer about one video is malformed; the video is not closed, and retrying would not help. */
function isUnreadable(error: unknown): error is PlatformError {
  return error instanceof PlatformError && !(error instanceof SourceRefusedError) && error.code === 'bad_response'
}

function readVideo(item: unknown): Video | null {
  const fields = asFields(item)
  const id = asId(asFields(fields?.id)?.videoId)
  return id === null ? null : { id, title: escapedTitle(asString(asFields(fields?.snippet)?.title) ?? '') }
}
