import type { CorpusRecord } from '../corpus.ts'
import { shortTime, valuesOf } from '../finding.ts'
import { readForms } from '../forms.ts'
import { hashText } from '../random.ts'
import type { SimulatedRecord } from '../records.ts'
import { escapeHtml } from '../wire-text.ts'
import youtube from './youtube.json' with { type: 'json' }

const forms = readForms(youtube.forms)
const scramble = 0x9e37_79b9_7f4a_7c15n

/** Eleven characters, as YouTube's are, from which the number can be had again: a restart forgets nothing. */
export function videoIdOf({ id }: SimulatedRecord): string {
  const bytes = Buffer.alloc(8)
  bytes.writeBigUInt64BE(BigInt(id) ^ scramble)
  return bytes.toString('base64url')
}

/** The number of the record that is this video; null for what is no video here. */
export function recordIdOf(videoId: string): number | null {
  const bytes = Buffer.from(videoId, 'base64url')
  const id = bytes.length === 8 ? bytes.readBigUInt64BE() ^ scramble : null
  return id !== null && id <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(id) : null
}

export const commentIdOf = ({ id }: SimulatedRecord): string =>
  `Ug${Buffer.from(`wish ${id}`).toString('base64url')}4AaABAg`

export const commentUrl = (record: SimulatedRecord, videoId: string): string =>
  `https://www.youtube.com/watch?v=${videoId}&lc=${commentIdOf(record)}`

const etag = (text: string) => Buffer.from(String(hashText(text))).toString('base64url')
const channelIdOf = (text: string) => `UC${Buffer.from(text).toString('base64url').padEnd(22, 'x').slice(0, 22)}`

/** One element of `items` of a search: titles come escaped. */
export function searchResult(record: SimulatedRecord): unknown {
  const videoId = videoIdOf(record)
  return forms.video({
    ...valuesOf(record),
    etag: etag(videoId),
    videoId,
    publishedAt: shortTime(record.createdAt),
    channelId: channelIdOf(record.product),
    escapedTitle: escapeHtml(record.title, 'stackexchange'),
  })
}

/** One element of `items` of `commentThreads`. A comment is one text, and one of a deleted account has no author. */
export function commentThread(record: CorpusRecord, videoId: string, isPlain: boolean): unknown {
  const { author, kind, fate } = record
  const text = record.body || record.title
  const commentId = commentIdOf(record)
  return forms.thread({
    ...valuesOf(record),
    etag: etag(commentId),
    commentEtag: etag(`${commentId} comment`),
    commentId,
    videoId,
    channelId: channelIdOf(videoId),
    displayed: isPlain ? text : escapeHtml(text, 'stackexchange').replaceAll('\n', '<br>'),
    text,
    authorName: author ? `@${author.handle}` : '',
    authorImage: author ? 'https://yt3.ggpht.com/ytc/simulated=s48-c-k-c0x00ffffff-no-rj' : '',
    authorUrl: author ? `http://www.youtube.com/@${author.handle}` : '',
    authorChannel: author ? { value: channelIdOf(author.handle) } : undefined,
    publishedAt: shortTime(record.createdAt),
    // A reply, where YouTube returns one among the threads.
    parentId: kind === 'pull_request' ? `${commentId}Parent` : undefined,
    isPublic: fate !== 'private',
  })
}
