import type { Clock } from '../../../runtime/clock.ts'
import { after } from '../../client/headers.ts'
import { asDate, asFields, asId, asList, asString } from '../../content/fields.ts'
import { type Json, PlatformError } from '../../platform.ts'
import { topicKey } from '../../topic-key.ts'
import type { AdapterCache } from '../adapter-cache.ts'
import type { Video } from './comment.ts'

/** Far below the 30 days for which YouTube lets its data be kept without asking again. */
const keptForMs = 24 * 60 * 60 * 1000

export interface VideoCache {
  /** The videos that were found for these words within the last day, or else what `search` cache now. */
  get(words: string, signal: AbortSignal, search: () => Promise<Video[]>): Promise<Video[]>
  /** This video need not be asked for again. */
  drop(words: string, videoId: string): Promise<void>
}

/** Searches once for all tasks and restarts: also when several tasks ask for the same words at the same time. */
export function createVideoCache(cache: AdapterCache, clock: Clock): VideoCache {
  const underWay = new Map<string, Promise<Video[]>>()

  async function find(key: string, search: () => Promise<Video[]>): Promise<Video[]> {
    const kept = readKept(await cache.read('youtube', key, clock.now()))
    if (kept) return kept.videos
    const videos = await search()
    await keep(key, { videos, until: after(clock.now(), keptForMs) })
    return videos
  }

  async function keep(key: string, { videos, until }: Kept): Promise<void> {
    const value: Json = { videos: videos.map(({ id, title }) => ({ id, title })), until: until.toISOString() }
    await cache.keep('youtube', key, value, until)
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
          // Whoever asked first was cancelled; that is no reason for the others to end.
          const wasCancelled = error instanceof PlatformError && error.code === 'cancelled'
          if (isOurs || signal.aborted || !wasCancelled) throw error
        }
      }
    },

    // Of two tasks that drop a video at the same moment one may undo the other's: then it is asked for once more.
    async drop(words, videoId) {
      const key = topicKey(words)
      const kept = readKept(await cache.read('youtube', key, clock.now()))
      if (kept) await keep(key, { ...kept, videos: kept.videos.filter(({ id }) => id !== videoId) })
    },
  }
}

interface Kept {
  videos: Video[]
  until: Date
}

function readKept(value: unknown): Kept | null {
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
