import type { Clock } from '../../../runtime/clock.ts'
import { asDate, asFields, asId, asList, asString } from '../../content/fields.ts'
import { after } from '../../headers.ts'
import { type Json, PlatformError } from '../../platform.ts'
import { topicKey } from '../../topic-words.ts'
import type { AdapterCache } from '../adapter-cache.ts'
import type { Video } from './post.ts'

/** One round over all videos per phrase, because `searchTerms` has no OR (googleapis/google-api-go-client#373). */
export const phrases = ['please add', 'I wish', 'would be nice', 'feature request']

/** How far a video's comments have been read. */
interface Reading {
  /** Index of the first phrase. */
  first: number
  done: number
  /** Page token of the current phrase; null for its first page. */
  token: string | null
}

/** The phrase for a video's next page. */
export const phraseOf = ({ first, done }: Reading): string => phrases[(first + done) % phrases.length]!

/** The cursor after a page with `token`; a repeated one ends its phrase. @returns null after the last phrase */
export function nextReading({ first, done, token: current }: Reading, token: string | null): Json {
  if (token !== null && token !== current) return { first, done, token }
  return done + 1 < phrases.length ? { first, done: done + 1, token: null } : null
}

/** The cursor after a page read newest first, without phrases. */
export function nextOfNewest(token: string | null, sent: string | null): Json {
  return token === null || token === sent ? null : { token }
}

/** @param first phrase to start with if the cursor names none */
export function asReading(cursor: Json, first: number): Reading {
  const fields = asFields(cursor)
  const count = (value: unknown, otherwise: number) =>
    Number.isSafeInteger(value) && (value as number) >= 0 ? (value as number) : otherwise
  return { first: count(fields?.first, first), done: count(fields?.done, 0), token: asPageToken(fields?.token) }
}

/** Tokens have grown over the years, from 6 to several hundred characters. */
export function asPageToken(value: unknown): string | null {
  return typeof value === 'string' && /^[\x21-\x7e]{1,4000}$/.test(value) ? value : null
}

/** Far below the 30 days YouTube allows without a refresh. */
const cachedForMs = 24 * 60 * 60 * 1000

export interface VideoCache {
  /** Videos from the cached search for these words, at most a day old; without one, those `search` returns. */
  get(words: string, signal: AbortSignal, search: () => Promise<Video[]>): Promise<Video[]>
  /** Removes a video from the cached search, so it is not queried again. */
  drop(words: string, videoId: string): Promise<void>
}

/** Shares a search among all tasks, concurrent or after a restart. */
export function createVideoCache(cache: AdapterCache, clock: Clock): VideoCache {
  const underWay = new Map<string, Promise<Video[]>>()

  async function find(key: string, search: () => Promise<Video[]>): Promise<Video[]> {
    const cached = readCached(await cache.read('youtube', key, clock.now()))
    if (cached) return cached.videos
    const videos = await search()
    await store(key, { videos, until: after(clock.now(), cachedForMs) })
    return videos
  }

  async function store(key: string, { videos, until }: CachedVideos): Promise<void> {
    const value: Json = { videos: videos.map(({ id, title }) => ({ id, title })), until: until.toISOString() }
    await cache.store('youtube', key, value, until)
  }

  return {
    async get(words, signal, search) {
      const key = topicKey(words)
      for (;;) {
        let finding = underWay.get(key)
        const isOurs = finding === undefined
        if (finding === undefined) {
          finding = find(key, search).finally(() => underWay.delete(key))
          underWay.set(key, finding)
        }
        try {
          return await finding
        } catch (error) {
          // The first caller was cancelled; the others search again.
          const wasCancelled = error instanceof PlatformError && error.code === 'cancelled'
          if (isOurs || signal.aborted || !wasCancelled) throw error
        }
      }
    },

    // Concurrent calls may undo a removal: the video is then queried once more.
    async drop(words, videoId) {
      const key = topicKey(words)
      const cached = readCached(await cache.read('youtube', key, clock.now()))
      if (cached) await store(key, { ...cached, videos: cached.videos.filter(({ id }) => id !== videoId) })
    },
  }
}

interface CachedVideos {
  videos: Video[]
  until: Date
}

function readCached(value: unknown): CachedVideos | null {
  const fields = asFields(value)
  const videos = asList(fields?.videos)
  const until = asDate(fields?.until)
  return videos && until && { videos: videos.map(readVideo).filter((video) => video !== null), until }
}

function readVideo(value: unknown): Video | null {
  const fields = asFields(value)
  const id = asId(fields?.id)
  return id === null ? null : { id, title: asString(fields?.title) ?? '' }
}
