import type { Corpus, CorpusRecord } from '../corpus.ts'
import { canonicalText } from '../query.ts'
import { createRandom, hashText, type Random } from '../random.ts'
import type { SimulatedRecord } from '../records.ts'
import { otherRequestPhrases, products, requestPhrases } from '../vocabulary.ts'
import { inventPerson } from './people.ts'
import { placesOf } from './places.ts'
import demoSections from './sections.json' with { type: 'json' }

interface Section {
  topic: string
  tags: readonly string[]
  /** A line is a wish, `title | text`; one that begins with `!` is none, as searches find them. `{p}` is the name of a product. */
  texts: readonly string[]
}

/** The records of the demo's platforms by topic; the topic with the most records first. */
export const sections: readonly Section[] = demoSections

/** As ids of the platform look, so that addresses do. */
const firstIds: Record<string, number> = {
  github: 210,
  hackernews: 41_200_000,
  stackexchange: 391_000,
  gitlab: 460_000,
}

const dayMs = 86_400_000

/** Three years, with the last days richer: a fifth of it is of the last month, half of that of the last week. */
function inventAgeMs(random: Random): number {
  const part = random.next()
  const days = part < 0.1 ? random.next() * 7 : part < 0.19 ? 7 + random.next() * 23 : 30 + random.next() ** 1.6 * 1_065
  return Math.max(600_000, days * dayMs)
}

/** A long tail: most have a few, some have hundreds; what is new had no time to collect them. */
function inventVotes(random: Random, ageMs: number, position: number): number {
  const popular = position < 3 ? 2.5 : 1
  const age = Math.min(1, 0.04 + ageMs / (120 * dayMs))
  return Math.floor(popular * age * (5 / (random.next() + 0.008) ** 0.95))
}

/** Only platforms with a mark for it; what is new was not decided yet. */
function inventResolution(random: Random, platform: string, ageMs: number): SimulatedRecord['resolution'] {
  const part = random.next()
  if (platform === 'hackernews' || platform === 'lemmy' || ageMs < 60 * dayMs) return undefined
  return part < 0.16 ? 'completed' : part < 0.23 ? 'not_planned' : undefined
}

interface DemoRecord {
  place: string
  topic: string
  record: CorpusRecord
}

/** Every phrase with which a client asks for wishes: all of these are found by it, as a platform that knows synonyms does. */
const allPhrases = canonicalText([...requestPhrases, ...otherRequestPhrases].join(' '))

/** Some of those that wait for longer are planned; projects label that in the same word on all of these platforms. */
function planTags(
  random: Random,
  platform: string,
  resolution: SimulatedRecord['resolution'],
  ageMs: number,
): string[] {
  const isLabelled = platform === 'github' || platform === 'gitlab' || platform === 'discourse'
  return isLabelled && resolution === undefined && ageMs > 30 * dayMs && random.next() < 0.1 ? ['planned'] : []
}

/** How the project labels wishes, the topic, and something more. */
function tagsOf({ topic, tags }: Section, label: string | undefined, random: Random): string[] {
  const all = [topic.replaceAll(' ', '-'), random.pick(tags)]
  return [...new Set(label === undefined ? all : [label, ...all])]
}

function readLine(line: string, section: Section, position: number, index: number, now: Date): DemoRecord {
  const random = createRandom(hashText(line))
  const isNoise = line.startsWith('!')
  const text = line.replace(/^! /, '').split(' | ') as [title: string, body: string]
  const { place, product = random.pick(products), label } = random.pick(placesOf(text, section.topic, isNoise))
  const platform = place.split('/')[0]!
  const [title, body] = text.map((part) => part.replaceAll('{p}', product)) as typeof text
  const ageMs = inventAgeMs(random)
  const votes = isNoise ? random.integer(0, 2) : inventVotes(random, ageMs, position)
  const resolution = isNoise ? undefined : inventResolution(random, platform, ageMs)
  const isComment = platform === 'hackernews' && random.next() < 0.4
  const record: SimulatedRecord = {
    id: (firstIds[platform] ?? 1_300) + index * 17,
    kind: isComment ? 'comment' : 'request',
    title: isComment ? `Show HN: ${product}` : platform === 'hackernews' ? `Ask HN: ${title}` : title,
    // A comment has no title of its own.
    body: isComment ? `${title.replace(/(?<=[^.!?])$/, '.')} ${body}` : body,
    votes,
    commentCount: Math.floor(votes ** 0.7 * random.next() * 1.5),
    tags: isNoise ? ['bug'] : [...tagsOf(section, label, random), ...planTags(random, platform, resolution, ageMs)],
    author: inventPerson(random),
    product,
    externalUrl: null,
    createdAt: new Date(Math.floor((now.getTime() - ageMs) / 1_000) * 1_000),
    rank: random.next(),
    ...(resolution === undefined ? {} : { resolution }),
  }
  const searchText = `${canonicalText(`${record.title}\n${record.body ?? ''}`)} ${allPhrases}`
  return { place, topic: section.topic, record: { ...record, searchText } }
}

/** Whether a record is none of a wish, as searches find them. */
export const isNoise = ({ tags }: Pick<SimulatedRecord, 'tags'>): boolean => tags.includes('bug')

/** What the demo's platforms hold: the same texts, authors and votes in every process, with dates that go back from `now`. */
export function demoRecords(now: Date): DemoRecord[] {
  const lines = sections.flatMap((section) => section.texts.map((line, position) => ({ line, section, position })))
  return lines.map(({ line, section, position }, index) => readLine(line, section, position, index, now))
}

/** Words as a search compares them: `shortcuts` finds `shortcut`. */
const stem = (word: string) => (word.length > 3 ? word.replace(/s$/, '') : word)

/** A record as it was at a moment before now: a younger one has grown more since, every fifth one much, and some were done since. */
function asOf(found: DemoRecord, at: Date, now: Date): DemoRecord {
  const { record } = found
  const share = Math.sqrt((at.getTime() - record.createdAt.getTime()) / (now.getTime() - record.createdAt.getTime()))
  const { resolution, ...open } = record
  const wasOpen = resolution !== undefined && record.id % 4 === 0
  const votes = Math.round(record.votes * share * (record.id % 5 === 0 ? 0.7 : 1))
  return { ...found, record: { ...(wasOpen ? open : record), votes } }
}

/** The demo's wishes as they were at any moment. */
export interface DemoCorpus extends Corpus {
  /** From now on everything is as it was at that moment, before the one that the corpus was made for. */
  comeTo(at: Date): void
}

/** Holds the demo's wishes: a search finds those of its topic, and those that hold all of its words. */
export function createDemoCorpus(now: Date): DemoCorpus {
  const present = demoRecords(now).sort((a, b) => a.record.rank - b.record.rank)
  let all = present
  let bump = 0
  return {
    comeTo: (at) => {
      const written = present.filter(({ record }) => record.createdAt < at)
      all = at < now ? written.map((found) => asOf(found, at, now)) : present
    },
    records: (place, topic) => {
      const wanted = canonicalText(topic)
      const words = wanted.split(' ').map(stem)
      const isFound = ({ record, ...found }: DemoRecord) =>
        found.topic === wanted || words.every((word) => record.searchText.includes(word))
      return all
        .filter((found) => found.place === place && topic !== '' && isFound(found))
        .map(({ record }) => ({
          ...record,
          votes: record.votes + bump,
          searchText: `${record.searchText} ${wanted}`,
          isFoundByAnyWords: true,
        }))
    },
    privateRecords: () => [],
    known: (platform) =>
      all
        .filter(({ place }) => place.split('/')[0] === platform)
        .map(({ place, record }) => ({ place, record: { ...record, votes: record.votes + bump } })),
    bumpVotes: (by) => {
      bump += by
    },
  }
}
