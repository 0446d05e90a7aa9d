import { type Corpus, type CorpusRecord, createCorpus, platformOf } from './corpus.ts'
import topics from './near-misses.json' with { type: 'json' }
import { canonicalText } from './query.ts'
import { generateRecord, groupOf, type SimulatedRecord } from './records.ts'
import { otherRequestPhrases, requestPhrases } from './vocabulary.ts'

/**
 * How a search result relates to its topic. The first five are written by hand for each topic, and of those only `otherOrder` and
 * `otherForm` are about it; `closed`, `private` and `gone` have the topic's words, `noise` has none.
 */
export type NearMissKind = Exclude<keyof (typeof topics)[number], 'topic'> | 'noise' | 'closed' | 'private' | 'gone'

/** The topics that have near-misses. */
export const nearMissTopics: readonly string[] = topics.map(({ topic }) => topic)

/**
 * What the search of each platform returns besides what has the topic's words as they are. GitHub matches comments, Hacker News
 * near-spellings and authors, Discourse beginnings of words, Lemmy and GitLab substrings, and YouTube returns all comments.
 */
const returnedKinds: Record<string, readonly NearMissKind[]> = {
  github: ['otherOrder', 'otherForm', 'fewWords', 'noise', 'closed', 'private'],
  hackernews: ['otherOrder', 'otherForm', 'nearSpelling', 'noise', 'gone'],
  stackexchange: ['otherOrder', 'otherForm', 'fewWords', 'noise'],
  discourse: ['otherOrder', 'otherForm', 'substring', 'closed', 'gone'],
  lemmy: ['otherForm', 'substring', 'gone'],
  gitlab: ['otherOrder', 'substring', 'noise', 'closed', 'private'],
  reddit: ['otherOrder', 'otherForm', 'fewWords', 'gone'],
  x: ['otherOrder', 'otherForm', 'noise', 'private', 'gone'],
  bluesky: ['otherOrder', 'otherForm', 'fewWords', 'gone'],
  fider: ['otherOrder', 'otherForm', 'fewWords', 'private', 'gone'],
  rss: ['otherOrder', 'otherForm', 'substring', 'fewWords', 'noise'],
  // A page has fifty reviews, of all topics together.
  appstore: ['otherForm', 'fewWords'],
  board: ['otherOrder', 'otherForm', 'substring', 'private', 'gone'],
  youtube: ['otherOrder', 'otherForm', 'substring', 'nearSpelling', 'fewWords', 'noise', 'private'],
}

/** What a platform returns for a topic besides its records; none for a topic that is not one of `nearMissTopics`. */
export function nearMissesOf(platform: string, topic: string): { kind: NearMissKind; text: string }[] {
  const index = topics.findIndex((one) => canonicalText(one.topic) === canonicalText(topic))
  const written = topics[index]
  if (written === undefined) return []
  const textOf = (kind: NearMissKind) => {
    if (kind === 'noise') return `Great work, thank you all (${index})`
    return kind in written ? written[kind as keyof typeof written] : `A ${kind} ${written.topic}`
  }
  return (returnedKinds[platform] ?? []).map((kind) => ({ kind, text: textOf(kind) }))
}

/** Apart from the indexes of all other records. */
const firstNearMissIndex = 61_000

/** What the platform did with a near-miss. */
const nearMissMarks: Record<string, Partial<SimulatedRecord>> = {
  closed: { resolution: 'completed' },
  private: { fate: 'private' },
  gone: { fate: 'removed' },
}

/** The near-misses of a topic: titles alone. A search for the topic finds them, whatever its phrases are. */
function nearMissRecords(seed: number, place: string, topic: string): CorpusRecord[] {
  return nearMissesOf(platformOf(place), topic).map(({ kind, text }, position) => ({
    ...generateRecord({ seed, place, topic, index: firstNearMissIndex + position }),
    kind: 'request',
    title: text,
    body: null,
    externalUrl: null,
    product: 'Quillbox',
    rank: -1,
    ...nearMissMarks[kind],
    searchText: canonicalText([topic, ...requestPhrases, ...otherRequestPhrases].join(' ')),
    isFoundByAnyWords: true,
  }))
}

/** Generated records and, before them, the near-misses of topics that have some. */
export function createNearMissCorpus({ size, seed = 1 }: { size: number; seed?: number }): Corpus {
  const corpus = createCorpus({ seed, sizeOf: () => size, given: () => undefined })
  const searched = new Map<number, { place: string; topic: string }>()
  const beside = ({ place, topic }: { place: string; topic: string }) => nearMissRecords(seed, place, topic)
  return {
    ...corpus,
    records: (place, topic) => {
      const records = corpus.records(place, topic)
      if (records[0]) searched.set(groupOf(records[0].id), { place, topic })
      return [...beside({ place, topic }), ...records]
    },
    known: (platform) => {
      const places = [...searched.values()].filter(({ place }) => platformOf(place) === platform)
      const nearMisses = places.flatMap((one) => beside(one).map((record) => ({ place: one.place, record })))
      return [...nearMisses, ...corpus.known(platform)]
    },
    nearMissesBeside: (recordId) => {
      const group = searched.get(groupOf(recordId))
      return group ? beside(group) : []
    },
  }
}
