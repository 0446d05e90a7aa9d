import { nearMissesOf } from './near-misses.ts'
import { canonicalText } from './query.ts'
import { createRandom, hashText } from './random.ts'
import { generateRecord, groupOf, isFound, type SimulatedRecord } from './records.ts'
import { inventAuthor, otherRequestPhrases, requestPhrases } from './vocabulary.ts'

/** A record of a test; missing fields are filled in. */
export type GivenRecord = Partial<SimulatedRecord> & { title: string }

export interface CorpusRecord extends SimulatedRecord {
  /** Title and body as `canonicalText`, so that a search does not redo it. */
  searchText: string
  /** A search for its topic returns it whatever its words are, as on a platform with synonyms. */
  isFoundByAnyWords?: boolean
}

export interface Corpus {
  /** The near-misses of the topic that a record was generated for. */
  nearMissesBeside?(recordId: number): readonly CorpusRecord[]
  /**
   * What a place holds for a topic, best match first.
   * @param place the platform, and the site where it has several: `stackexchange/meta`
   */
  records(place: string, topic: string): readonly CorpusRecord[]
  /** What a place holds besides that only its members may see; their titles begin with `privateTitle`. */
  privateRecords(place: string, topic: string): readonly CorpusRecord[]
  /** What was found so far in the places of a platform, and what was given: to be read again by an id, also what is gone. */
  known(platform: string): readonly KnownRecord[]
  /** Raises the votes of every record, so that a refresh has changes. */
  bumpVotes(by: number): void
}

export interface KnownRecord {
  /** null for a given record, which is in every place of its platform. */
  place: string | null
  record: CorpusRecord
}

export interface CorpusOptions {
  seed: number
  /** How many records a topic has on a platform; below 65,536. */
  sizeOf(platform: string): number
  /** A platform with given records has these and generates none. */
  given(platform: string): readonly GivenRecord[] | undefined
  bumpVotes: number
  /** Whether the topics of `near-misses.ts` have them. */
  hasNearMisses?: boolean
}

/** How every title of a private record begins. */
export const privateTitle = 'Members only:'
const privateCount = 3
/** Apart from the indexes of public records, so that those are the same with and without them. */
const firstPrivateIndex = 60_000

/** A long benchmark searches thousands of topics, and repeats only the latest. */
const maximumCachedTopics = 200

/** Holds the given records and generates the others: always the same ones, in whatever order they are read. */
export function createCorpus({ seed, sizeOf, given, bumpVotes, hasNearMisses = false }: CorpusOptions): Corpus {
  const generated = new Map<string, { place: string; topic: string; records: readonly CorpusRecord[] }>()
  const topicsOfGroups = new Map<number, { place: string; topic: string }>()
  const completed = new Map<string, readonly CorpusRecord[]>()
  let bump = bumpVotes

  const nearMisses = (place: string, topic: string) => (hasNearMisses ? nearMissRecords(seed, place, topic) : [])

  const generate = (place: string, topic: string): readonly CorpusRecord[] => {
    const key = `${place}\n${topic}`
    const known = generated.get(key)
    if (known) return known.records
    const records = Array.from({ length: sizeOf(platformOf(place)) }, (_, index) =>
      searchable(generateRecord({ seed, place, topic, index })),
    )
      .concat(nearMisses(place, topic))
      .sort((a, b) => a.rank - b.rank)
    if (generated.size >= maximumCachedTopics) generated.delete(generated.keys().next().value!)
    generated.set(key, { place, topic, records })
    if (records[0]) topicsOfGroups.set(groupOf(records[0].id), { place, topic })
    return records
  }

  /** The given records of a platform; undefined where it generates its own. */
  const complete = (platform: string): readonly CorpusRecord[] | undefined => {
    const known = completed.get(platform)
    if (known) return known
    const records = given(platform)?.map((record, index) => searchable(completeRecord(platform, record, index)))
    if (records) completed.set(platform, records)
    return records
  }

  const bumped = (record: CorpusRecord): CorpusRecord => ({ ...record, votes: record.votes + bump })

  return {
    records: (place, topic) => {
      const records = complete(platformOf(place))?.filter(isFound) ?? (topic === '' ? [] : generate(place, topic))
      return bump === 0 ? records : records.map(bumped)
    },
    known: (platform) => {
      const ofPlatform = [...generated.values()].filter(({ place }) => platformOf(place) === platform)
      const lists = [{ place: null, records: complete(platform) ?? [] }, ...ofPlatform]
      return lists.flatMap(({ place, records }) => records.map((record) => ({ place, record: bumped(record) })))
    },
    privateRecords: (place, topic) => (topic === '' ? [] : generatePrivateRecords(seed, place, topic)),
    nearMissesBeside: (recordId) => {
      const group = topicsOfGroups.get(groupOf(recordId))
      return group ? nearMisses(group.place, group.topic) : []
    },
    bumpVotes: (by) => {
      bump += by
    },
  }
}

const platformOf = (place: string): string => place.split('/')[0]!

function generatePrivateRecords(seed: number, place: string, topic: string): CorpusRecord[] {
  return Array.from({ length: privateCount }, (_, position) => {
    const record = generateRecord({ seed, place, topic, index: firstPrivateIndex + position })
    return searchable({ ...record, kind: 'request', title: `${privateTitle} ${record.title}` })
  })
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

function searchable(record: SimulatedRecord): CorpusRecord {
  return { ...record, searchText: canonicalText(`${record.title}\n${record.body ?? ''}`) }
}

function completeRecord(platform: string, given: GivenRecord, index: number): SimulatedRecord {
  return {
    id: hashText(platform) * 1_000 + index,
    kind: 'request',
    body: null,
    votes: 0,
    commentCount: 0,
    tags: [],
    author: inventAuthor(createRandom(index)),
    product: 'Larkspur Notes',
    externalUrl: null,
    createdAt: new Date(Date.UTC(2025, 0, 1) + index * 60_000),
    rank: index,
    ...given,
  }
}
