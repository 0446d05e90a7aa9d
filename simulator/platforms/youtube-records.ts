import type { Corpus, CorpusRecord } from '../corpus.ts'
import { created, mostFirst } from '../finding.ts'
import { canonicalText, parseQuery } from '../query.ts'
import { hashText } from '../random.ts'
import { commentIdOf, commentUrl, recordIdOf, videoIdOf } from './youtube-item.ts'

const place = 'youtube'
/** The records of a topic are the comments on so many videos, so that all of them together are as many as asked for. */
const videosPerTopic = 8
const stride = 65_536

export type VideoState = 'open' | 'commentsDisabled' | 'videoNotFound'

/** What people talk about below a video: its topic need not be named there. */
const subjects = ['chapters', 'subtitles', 'a night view', 'keyboard shortcuts', 'an offline copy', 'a search box']
const chatter = ['First!', 'Great video, thanks 🔥', 'Who is here in 2026?', 'The music at 3:12 😍', '❤️❤️❤️']

/** Given records answer to every topic, generated ones only to one that has words. */
const areGiven = (corpus: Corpus): boolean => corpus.records(place, '').length > 0

/** The videos of a topic, best match first; with given records each is a video with one comment, itself. */
export function findVideos(corpus: Corpus, search: string): readonly CorpusRecord[] {
  const videos = corpus.records(place, parseQuery(search.replaceAll('|', ' ')).topic)
  return areGiven(corpus) ? videos : videos.filter((video) => video.id % stride < videosPerTopic)
}

/** In the platform's own order, or newest first. */
export const ordered = (records: readonly CorpusRecord[], isNewestFirst: boolean): readonly CorpusRecord[] =>
  isNewestFirst ? records.toSorted(mostFirst(created)) : records

export function stateOfVideo(corpus: Corpus, videoId: string): VideoState {
  const recordId = recordIdOf(videoId)
  if (recordId === null) return 'videoNotFound'
  if (areGiven(corpus)) return 'open'
  const index = recordId % stride
  if (index === 3) return 'commentsDisabled'
  return index === 5 ? 'videoNotFound' : 'open'
}

/** All threads of a video that is open, those that wish nothing too. */
function threadsOf(corpus: Corpus, videoId: string): CorpusRecord[] {
  const linked = (record: CorpusRecord): CorpusRecord => ({ ...record, externalUrl: commentUrl(record, videoId) })
  if (areGiven(corpus)) {
    const recordId = recordIdOf(videoId)
    return corpus
      .records(place, '')
      .filter((record) => record.id === recordId)
      .map(linked)
  }
  const records = corpus.records(`${place}/${videoId}`, subjects[hashText(videoId) % subjects.length]!)
  const ofVideo = records.filter((record) => record.id % stride < Math.ceil(records.length / videosPerTopic))
  const wishes = ofVideo.map((record) => linked(isChatter(record) ? chat(record) : record))
  return [...(corpus.nearMissesBeside?.(recordIdOf(videoId) ?? 0) ?? []).map(linked), ...wishes]
}

/** Every fifth comment wishes nothing. */
const isChatter = (record: CorpusRecord): boolean => (record.id % stride) % 5 === 4

function chat(record: CorpusRecord): CorpusRecord {
  return { ...record, kind: 'comment', title: '', body: chatter[record.id % chatter.length]! }
}

/** The threads that hold these words, all of them without any. Chatter holds none that people search for. */
export function findThreads(corpus: Corpus, videoId: string, terms: string): CorpusRecord[] {
  const wanted = canonicalText(terms)
  return threadsOf(corpus, videoId).filter(
    (record) => wanted === '' || (record.kind !== 'comment' && record.searchText.includes(wanted)),
  )
}

/** Given records by the ids of their comments, each with the id of its video. */
export function findThreadsById(corpus: Corpus, commentIds: readonly string[]): [CorpusRecord, string][] {
  const found = corpus.records(place, '').filter((record) => commentIds.includes(commentIdOf(record)))
  return found.map((record) => [record, videoIdOf(record)])
}

/** The comments that must be stored: the wishes on the open videos that a search finds, or on the named video. */
export function findWishes(corpus: Corpus, parameters: URLSearchParams): CorpusRecord[] {
  const videoId = parameters.get('videoId')
  const found = findVideos(corpus, parameters.get('q') ?? '').slice(0, Number(parameters.get('maxResults') ?? 5))
  const videoIds = videoId === null ? found.map(videoIdOf) : [videoId]
  return videoIds
    .filter((id) => stateOfVideo(corpus, id) === 'open')
    .flatMap((id) => findThreads(corpus, id, parameters.get('searchTerms') ?? ''))
    .filter((record) => record.kind !== 'comment')
}
