import type { Clock } from '../../../runtime/clock.ts'
import type { Budget, OpenBudget } from '../../budget/budget.ts'
import { endpointUrl, type PlatformClient } from '../../client/client.ts'
import type { Answer } from '../../client/messages.ts'
import { asFields, asId, asList, asString, readItems } from '../../content/fields.ts'
import { escapedTitle } from '../../content/text.ts'
import {
  type Json,
  type Page,
  type PageRequest,
  type Platform,
  PlatformError,
  SourceRefusedError,
} from '../../platform.ts'
import { searchWords } from '../../topic-words.ts'
import type { AdapterCache } from '../adapter-cache.ts'
import { fetchRoundRobin, type SourcePage } from '../round-robin.ts'
import { readThread, type Video } from './comment.ts'
import { isQuotaSpent, isVideoClosed, youtubeError } from './errors.ts'
import { nextPacificMidnight, youtubeLimits } from './quota.ts'
import { createVideoCache } from './videos.ts'

export interface YoutubeOptions {
  client: PlatformClient
  clock: Clock
  openBudget: OpenBudget
  cache: AdapterCache
  /** `https://www.googleapis.com/youtube/v3`. */
  baseUrl: string
  /** A key of a Google Cloud project. It travels in the query string, which is why no query string is ever logged. */
  key?: string | undefined
}

/**
 * Comments cannot be searched for alternatives (googleapis/google-api-go-client issue 373), so these take turns: after
 * every video was asked for one of them, the next is asked for.
 */
const phrases = ['please add', 'I wish', 'would be nice', 'feature request']
const videosPerSearch = 50
const commentsPerPage = 100
/** A video whose answer cannot be read is passed over; so many of them in one page mean that it is not the video. */
const failureLimit = 3

/** What one call is, apart from how it is sent. */
interface Call {
  path: string
  parameters: Record<string, string | number>
  budget: Budget
  signal: AbortSignal
  /** Where an answer about one video is no error of the platform. */
  isAboutVideo: boolean
}

/** Ends one video; said outside the client, because a video with closed comments is no failure of its host. */
class ClosedVideoError extends SourceRefusedError {
  constructor() {
    super('youtube has no open comments for a video.')
  }
}

/** How far one video has been read: which phrase came first, how many are done, and where the present one goes on. */
interface Reading {
  first: number
  done: number
  token: string | null
}

/**
 * Comments that wish for something, on the videos that one search for the topic found (`GET /search`, 50 by relevance, kept for
 * a day because 100 searches a day are all there are). A page is one `GET /commentThreads` of one video, by relevance (by time
 * it has given 20 instead of 100: sameerdash2/comment-viewer issue 10), narrowed by `searchTerms`. YouTube did not heed
 * these for a while (googleapis/google-api-nodejs-client issue 3380) and may find them in a reply, so the text is
 * looked at here too.
 */
export function createYoutube({ client, clock, openBudget, cache, baseUrl, key }: YoutubeOptions): Platform {
  const limits = youtubeLimits(baseUrl)
  const searchBudget = openBudget(limits.search)
  const commentBudget = openBudget(limits.comments)
  const videoCache = createVideoCache(cache, clock)

  async function call({ path, parameters, budget, signal, isAboutVideo }: Call): Promise<Answer> {
    if (key === undefined) throw new PlatformError('not_configured', 'youtube needs a key. Set YOUTUBE_API_KEY.')
    const isClosed = (answer: Answer) => isAboutVideo && isVideoClosed(answer)
    const resetsAt = nextPacificMidnight(clock.now())
    const answer = await client.getJson({
      platform: 'youtube',
      url: endpointUrl(baseUrl, path, { part: 'snippet', ...parameters, key }),
      budget,
      signal,
      readLimits: async (answer) => {
        if (isQuotaSpent(answer)) await budget.correctQuota({ remaining: 0, resetsAt }, clock.now())
      },
      readError: (answer) => (isClosed(answer) ? null : youtubeError(answer, clock.now(), resetsAt)),
      acceptStatuses: isAboutVideo ? [403, 404] : [],
    })
    if (isClosed(answer)) throw new ClosedVideoError()
    return answer
  }

  async function searchVideos(words: string, signal: AbortSignal): Promise<Video[]> {
    const { body } = await call({
      path: '/search',
      parameters: { type: 'video', q: words, order: 'relevance', maxResults: videosPerSearch },
      budget: searchBudget,
      signal,
      isAboutVideo: false,
    })
    const items = asList(asFields(body)?.items)
    if (!items)
      throw new PlatformError('bad_response', 'youtube answered without a list of videos. Check YOUTUBE_API_URL.')
    return items.map(readVideo).filter((video) => video !== null)
  }

  async function fetchComments(video: Video, reading: Reading, signal: AbortSignal): Promise<SourcePage> {
    const { body } = await call({
      path: '/commentThreads',
      parameters: {
        videoId: video.id,
        searchTerms: phrases[(reading.first + reading.done) % phrases.length]!,
        order: 'relevance',
        textFormat: 'plainText',
        maxResults: commentsPerPage,
        ...(reading.token === null ? {} : { pageToken: reading.token }),
      },
      budget: commentBudget,
      signal,
      isAboutVideo: true,
    })
    const items = asList(asFields(body)?.items)
    if (!items)
      throw new PlatformError('bad_response', 'youtube answered without a list of comments. Check YOUTUBE_API_URL.')
    const token = items.length > 0 ? asToken(asFields(body)?.nextPageToken) : null
    return {
      requests: await readItems(items, (thread) => readThread(thread, video)),
      nextCursor: nextReading(reading, token),
    }
  }

  async function fetchPage(request: PageRequest): Promise<Page | null> {
    // `|` is YouTube's OR.
    const words = searchWords(request.topic.replaceAll('|', ' ')).join(' ')
    if (words === '') return null
    const videos = await videoCache.get(words, request.signal, () => searchVideos(words, request.signal))
    if (videos.length === 0) return null
    return fetchFromVideos(videos, words, request)
  }

  async function fetchFromVideos(videos: Video[], words: string, request: PageRequest): Promise<Page | null> {
    const byId = new Map(videos.map((video) => [video.id, video]))
    const first = Math.floor(request.pagesBefore / videos.length) % phrases.length
    const failures: PlatformError[] = []
    const fetchFrom = async (id: string, cursor: Json) => {
      try {
        return await fetchComments(byId.get(id)!, asReading(cursor, first), request.signal)
      } catch (error) {
        // Not only in the cursor, which stays as it is when the next request has to wait.
        if (error instanceof ClosedVideoError) await videoCache.drop(words, id)
        if (!isUnreadable(error)) throw error
        failures.push(error)
        throw failures.length < failureLimit ? new SourceRefusedError(error.message) : error
      }
    }
    const sources = [...byId.keys()]
    const page = await fetchRoundRobin({ sources, request, fetchFrom }).catch((error) => {
      // Where all that could be asked is closed there is nothing to read, an end like any other.
      if (error instanceof ClosedVideoError) return null
      throw error
    })
    if (page === null && failures.length > 0 && request.cursor === null) throw failures[0]
    return page
  }

  return { name: 'youtube', fetchPage }
}

/** Neither closed nor to be asked again: the answer about one video is not what it should be. */
function isUnreadable(error: unknown): error is PlatformError {
  return error instanceof PlatformError && !(error instanceof SourceRefusedError) && error.code === 'bad_response'
}

function readVideo(item: unknown): Video | null {
  const fields = asFields(item)
  const id = asId(asFields(fields?.id)?.videoId)
  return id === null ? null : { id, title: escapedTitle(asString(asFields(fields?.snippet)?.title) ?? '') }
}

/** The page after one that named `token`; null when the video was asked for every phrase. A token that comes again says nothing. */
function nextReading({ first, done, token: current }: Reading, token: string | null): Json {
  if (token !== null && token !== current) return { first, done, token }
  return done + 1 < phrases.length ? { first, done: done + 1, token: null } : null
}

function asReading(cursor: Json, first: number): Reading {
  const fields = asFields(cursor)
  const count = (value: unknown, otherwise: number) =>
    Number.isSafeInteger(value) && (value as number) >= 0 ? (value as number) : otherwise
  return { first: count(fields?.first, first), done: count(fields?.done, 0), token: asToken(fields?.token) }
}

/** Tokens have grown over the years, from 6 to several hundred characters. */
function asToken(value: unknown): string | null {
  return typeof value === 'string' && /^[\x21-\x7e]{1,4000}$/.test(value) ? value : null
}
