import { createRandom, hashText, type Random } from './random.ts'
import {
  benefits,
  headline,
  inventAuthor,
  labels,
  openingSentence,
  products,
  requestPhrases,
  roles,
  struggles,
  wants,
  workarounds,
} from './vocabulary.ts'

/** A record before it has the wire form of its platform. Texts are plain; code is fenced by ```. */
export interface SimulatedRecord {
  /** Unique over all platforms and topics of one seed. */
  id: number
  /** `pull_request` is a search result that is not a request: on X a retweet, on Reddit a removed post. */
  kind: 'request' | 'pull_request' | 'comment'
  title: string
  /** Paragraphs are separated by an empty line. Null where the platform has a null or no body. */
  body: string | null
  votes: number
  commentCount: number
  tags: readonly string[]
  /** Null for an account that was deleted. */
  author: { handle: string; name: string; id: number } | null
  product: string
  /** Where a story points to; null for a story with a text of its own. */
  externalUrl: string | null
  createdAt: Date
  /** The platform's own order: a lower rank is a better match. */
  rank: number
  /** What became of it, where the platform has a mark for that; open without it. */
  resolution?: Resolution
  /** What its platform did with it; shown to all without it. */
  fate?: Fate
  /** The category of a discussion of GitHub; an issue has none. */
  category?: string
}

/** `stale` was closed by a bot, `moved` goes on in another project. */
export type Resolution = 'completed' | 'not_planned' | 'duplicate' | 'stale' | 'moved'

/**
 * A search returns an `archived`, `removed` or `private` record all the same, with its platform's mark, so that the client's own check
 * is tested. No search has a `deleted` or `hidden` one: it is gone, or only members may see it now. Only an archived one is expected.
 */
export type Fate = 'archived' | 'removed' | 'private' | 'deleted' | 'hidden'

/** Whether a search returns it. */
export const isFound = ({ fate }: Pick<SimulatedRecord, 'fate'>): boolean => fate !== 'deleted' && fate !== 'hidden'

/** When a record was resolved: some weeks after it was written. */
export const resolvedAt = ({ createdAt, id }: SimulatedRecord): Date =>
  new Date(createdAt.getTime() + ((id % 40) + 10) * 86_400_000)

/** The indexes that hold what breaks naive parsers; they come again every `nastyPeriod` records. */
export const nastyIndexes = {
  nullBody: 1,
  ghostAuthor: 2,
  htmlEntities: 3,
  markdownCode: 4,
  emoji: 5,
  cjk: 6,
  veryLongBody: 7,
  pullRequest: 8,
  nul: 9,
  loneSurrogate: 10,
  rightToLeft: 12,
  emptyBody: 13,
  negativeVotes: 15,
} as const

const nastyPeriod = 100

/** What makes records differ: the same four values give the same records in every process. */
export interface Generation {
  seed: number
  /** The platform, and the site where a platform has several. */
  place: string
  topic: string
  index: number
}

const stride = 65_536
const newestCreationMs = Date.UTC(2026, 5, 30)
const daysOfHistory = 1_500

/** The same for all records of a topic in a place. */
export const groupOf = (recordId: number): number => Math.floor(recordId / stride)

/** Generates the record of an index; see `nastyIndexes` for the traps. */
export function generateRecord(generation: Generation): SimulatedRecord {
  const { seed, place, topic, index } = generation
  const group = hashText(`${seed}/${place}/${topic}`)
  const random = createRandom(hashText(`${group}/${index}`))
  const product = random.pick(products)
  const phrase = requestPhrases[index % requestPhrases.length]!
  const opening = openingSentence(phrase, topic, product)
  const author = inventAuthor(random)
  const record: SimulatedRecord = {
    id: group * stride + index,
    kind: 'request',
    title: headline(random, topic, product),
    body: writeBody(random, opening),
    votes: Math.floor(1 / (random.next() + 0.002)),
    commentCount: random.integer(0, 40),
    tags: [labels[index % labels.length]!],
    author,
    product,
    externalUrl: null,
    createdAt: new Date(newestCreationMs - random.integer(0, daysOfHistory * 86_400) * 1_000),
    rank: random.next(),
  }
  const ofPlace = asKindOfPlace(record, place, index, opening)
  return nastyChanges[index % nastyPeriod]?.(ofPlace, topic, opening) ?? ofPlace
}

function writeBody(random: Random, opening: string): string {
  const paragraphs = [
    `${opening}. It would help a lot if it could ${random.pick(wants)}.`,
    `As a ${random.pick(roles)} I ${random.pick(struggles)}. Until now ${random.pick(workarounds)}.`,
    random.pick(benefits),
  ]
  return paragraphs.slice(0, random.integer(1, 3)).join('\n\n')
}

/** The platforms whose searches also return results that are not requests. */
const mixedPlaces = new Set(['github', 'reddit', 'x'])

/** Hacker News mixes comments, texts and links in thirds: coprime to the phrases, so that each phrase has all kinds. */
function asKindOfPlace(record: SimulatedRecord, place: string, index: number, opening: string): SimulatedRecord {
  if (mixedPlaces.has(place) && index % 20 === nastyIndexes.pullRequest) return { ...record, kind: 'pull_request' }
  if (place !== 'hackernews') return record
  if (index % 3 === 0) return { ...record, kind: 'comment', title: `Show HN: ${record.product}` }
  if (index % 3 === 1) return { ...record, title: `Ask HN: ${record.title}` }
  return { ...record, title: opening, body: null, externalUrl: `https://blog.example/${record.id}` }
}

/** What an index of `nastyIndexes` does to its record. */
const nastyChanges: Record<number, (record: SimulatedRecord, topic: string, opening: string) => SimulatedRecord> = {
  [nastyIndexes.nullBody]: (record, _, opening) => withoutBody(record, opening, null),
  [nastyIndexes.emptyBody]: (record, _, opening) => withoutBody(record, opening, ''),
  [nastyIndexes.ghostAuthor]: (record) => ({ ...record, author: null }),
  [nastyIndexes.htmlEntities]: (record, topic) =>
    withText(record, ` <b>"R&D's"</b> &amp; more`, `<script>alert('${topic}')</script> 1 < 2 && "a" > 'b' &lt;`),
  [nastyIndexes.markdownCode]: (record) =>
    withText(record, ' in `settings.json`', '```json\n{ "enabled": true, "level": "<high>" }\n```\n\n- [ ] **one**'),
  [nastyIndexes.emoji]: (record) => withText(record, ' 👩🏽‍💻🎉', 'Thanks 🙏🏿 — from 🏴󠁧󠁢󠁳󠁣󠁴󠁿 with ❤️‍🔥'),
  [nastyIndexes.cjk]: (record) =>
    withText(record, ' を追加してください', '这个功能对我们很重要。다크 모드도 부탁드립니다.'),
  [nastyIndexes.rightToLeft]: (record) => withText(record, ' \u202bمرحبا\u202c', 'نحتاج إلى هذه الميزة\u200f'),
  [nastyIndexes.veryLongBody]: (record, _, opening) => {
    const body = veryLong(`${opening}. ${record.body ?? ''} 長い文章 🧵\n`)
    return { ...record, externalUrl: null, body }
  },
  [nastyIndexes.nul]: (record) => withText(record, '', 'before\u0000after'),
  [nastyIndexes.loneSurrogate]: (record) => withText(record, '', 'half \ud800 of a pair, and the other \udc00 half'),
  [nastyIndexes.negativeVotes]: (record) => ({ ...record, votes: -3 }),
}

const veryLongCharacters = 90_000

/** More than the 64 KiB that a careful client keeps, with characters of several bytes wherever it cuts. */
function veryLong(unit: string): string {
  return unit.repeat(Math.ceil(veryLongCharacters / unit.length))
}

/** A comment has only a body, so the body is never left out. */
function withoutBody(record: SimulatedRecord, opening: string, body: '' | null): SimulatedRecord {
  return record.kind === 'comment' ? record : { ...record, title: opening, body }
}

/** A link has no text of its own, so the addition makes it a story with one. The title of a comment is its story's, and stays. */
function withText(record: SimulatedRecord, titleEnd: string, paragraph: string): SimulatedRecord {
  const title = record.kind === 'comment' ? record.title : record.title + titleEnd
  return { ...record, title, body: record.body ? `${record.body}\n\n${paragraph}` : paragraph, externalUrl: null }
}
