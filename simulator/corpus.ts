import { canonicalText } from './query.ts'
import { createRandom, hashText } from './random.ts'
import { generateRecord, isFound, type SimulatedRecord } from './records.ts'
import { inventAuthor } from './vocabulary.ts'

/** A record of a test; missing fields are filled in. */
export type GivenRecord = Partial<SimulatedRecord> & { title: string }

export interface CorpusRecord extends SimulatedRecord {
  /** Title and body as `canonicalText`, so that a search does not redo it. */
  searchText: string
  /** A search for its topic returns it whatever its words are, as on a platform with synonyms. */
  isFoundByAnyWords?: boolean
}

export interface Corpus {
  /** What a test's corpus has besides the records of the topic that a record was generated for. */
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
}

/** How every title of a private record begins. */
export const privateTitle = 'Members only:'
const privateCount = 3
/** Apart from the indexes of public records, so that those are the same with and without them. */
const firstPrivateIndex = 60_000

/** A long benchmark searches thousands of topics, and repeats only the latest. */
const maximumCachedTopics = 200

/** Holds the given records and generates the others: always the same ones, in whatever order they are read. */
export function createCorpus({ seed, sizeOf, given }: CorpusOptions): Corpus {
  const generated = new Map<string, { place: string; topic: string; records: readonly CorpusRecord[] }>()
  const completed = new Map<string, readonly CorpusRecord[]>()
  let bump = 0

  const generate = (place: string, topic: string): readonly CorpusRecord[] => {
    const key = `${place}\n${topic}`
    const known = generated.get(key)
    if (known) return known.records
    const records = Array.from({ length: sizeOf(platformOf(place)) }, (_, index) =>
      searchable(generateRecord({ seed, place, topic, index })),
    ).sort((a, b) => a.rank - b.rank)
    if (generated.size >= maximumCachedTopics) generated.delete(generated.keys().next().value!)
    generated.set(key, { place, topic, records })
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
    bumpVotes: (by) => {
      bump += by
    },
  }
}

/** A place is a platform, or a site of it. */
export const platformOf = (place: string): string => place.split('/')[0]!

function generatePrivateRecords(seed: number, place: string, topic: string): CorpusRecord[] {
  return Array.from({ length: privateCount }, (_, position) => {
    const record = generateRecord({ seed, place, topic, index: firstPrivateIndex + position })
    return searchable({ ...record, kind: 'request', title: `${privateTitle} ${record.title}` })
  })
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
