import type { CorpusRecord } from '../corpus.ts'
import { hashText } from '../random.ts'
import type { SimulatedRecord } from '../records.ts'
import { escapeHtml } from '../wire-text.ts'

const scramble = 0x9e37_79b9_7f4a_7c15n

/** Eleven characters, as YouTube's are, from which the number can be had again: a restart forgets nothing. */
export function videoIdOf(record: SimulatedRecord): string {
  const bytes = Buffer.alloc(8)
  bytes.writeBigUInt64BE(BigInt(record.id) ^ scramble)
  return bytes.toString('base64url')
}

/** The number of the record that is this video; null for what is no video here. */
export function recordIdOf(videoId: string): number | null {
  const bytes = Buffer.from(videoId, 'base64url')
  const id = bytes.length === 8 ? bytes.readBigUInt64BE() ^ scramble : null
  return id !== null && id <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(id) : null
}

export function commentIdOf(record: SimulatedRecord): string {
  return `Ug${Buffer.from(`wish ${record.id}`).toString('base64url')}4AaABAg`
}

export function commentUrl(record: SimulatedRecord, videoId: string): string {
  return `https://www.youtube.com/watch?v=${videoId}&lc=${commentIdOf(record)}`
}

/** A comment is one text. */
export function commentText(record: SimulatedRecord): string {
  return record.body || record.title
}

const etag = (text: string) => Buffer.from(String(hashText(text))).toString('base64url')
const moment = (date: Date) => date.toISOString().replace('.000Z', 'Z')
const channelIdOf = (text: string) => `UC${Buffer.from(text).toString('base64url').padEnd(22, 'x').slice(0, 22)}`

/** One element of `items` of a search: titles come escaped. */
export function searchResult(record: SimulatedRecord): object {
  const videoId = videoIdOf(record)
  const thumbnail = (name: string, width: number, height: number) => ({
    url: `https://i.ytimg.com/vi/${videoId}/${name}.jpg`,
    width,
    height,
  })
  return {
    kind: 'youtube#searchResult',
    etag: etag(videoId),
    id: { kind: 'youtube#video', videoId },
    snippet: {
      publishedAt: moment(record.createdAt),
      channelId: channelIdOf(record.product),
      title: escapeHtml(record.title, 'stackexchange'),
      description: `All about ${record.product} ...`,
      thumbnails: {
        default: thumbnail('default', 120, 90),
        medium: thumbnail('mqdefault', 320, 180),
        high: thumbnail('hqdefault', 480, 360),
      },
      channelTitle: record.product,
      liveBroadcastContent: 'none',
      publishTime: moment(record.createdAt),
    },
  }
}

function authorOf({ author }: SimulatedRecord): object {
  if (!author) return { authorDisplayName: '', authorProfileImageUrl: '', authorChannelUrl: '' }
  return {
    authorDisplayName: `@${author.handle}`,
    authorProfileImageUrl: 'https://yt3.ggpht.com/ytc/simulated=s48-c-k-c0x00ffffff-no-rj',
    authorChannelUrl: `http://www.youtube.com/@${author.handle}`,
    authorChannelId: { value: channelIdOf(author.handle) },
  }
}

/** One element of `items` of `commentThreads`. */
export function commentThread(record: CorpusRecord, videoId: string, isPlain: boolean): object {
  const text = commentText(record)
  const id = commentIdOf(record)
  const channelId = channelIdOf(videoId)
  const displayed = isPlain ? text : escapeHtml(text, 'stackexchange').replaceAll('\n', '<br>')
  const comment = {
    channelId,
    videoId,
    textDisplay: displayed,
    textOriginal: text,
    ...authorOf(record),
    canRate: true,
    viewerRating: 'none',
    likeCount: Math.max(0, record.votes),
    publishedAt: moment(record.createdAt),
    updatedAt: moment(record.createdAt),
    // A reply, where YouTube returns one among the threads.
    ...(record.kind === 'pull_request' ? { parentId: `${id}Parent` } : {}),
  }
  return {
    kind: 'youtube#commentThread',
    etag: etag(id),
    id,
    snippet: {
      channelId,
      videoId,
      topLevelComment: { kind: 'youtube#comment', etag: etag(`${id} comment`), id, snippet: comment },
      canReply: true,
      totalReplyCount: record.commentCount,
      isPublic: record.fate !== 'private',
    },
  }
}
