import { type RawBuilder, sql } from 'kysely'
import type { Executor } from '../../database/open.ts'
import { sharedView, type View } from '../../requests/view.ts'
import { normaliseText } from '../../runtime/text/normalise.ts'
import { sameWordsOf } from '../../runtime/text/same-words.ts'
import { respelled } from '../../runtime/text/spellings.ts'
import { isStopWord } from '../../runtime/text/words.ts'
import type { Candidate, SearchIndex } from '../../search/search-index.ts'
import { type ComparedText, comparedLength, comparedTextOf } from './compared-text.ts'
import { minRequests, type Rarity, rarityOf, type WordCounter, type WordCounts } from './rarity.ts'

/** How often a title's words occur in the query. */
const titleWeight = 3
/** Telling words of the text added to those of the title; more find no more (bench/wishes.ts). */
const maxTextWords = 8
const maxTitleWords = 12
/** Frequent words say little and cost most: they are dropped if the title has this many rarer ones. */
const minTitleWords = 3

/**
 * The words to find candidates by: those of the title three times, and the text's most telling by tf·idf, except words
 * of no other request.
 * @param isFrequent whether a stem is too common to be telling
 */
function candidateWords(
  text: ComparedText,
  rarity: Rarity,
  { isShared, isFrequent }: Record<'isShared' | 'isFrequent', (stem: string) => boolean>,
): string[] {
  const wordOf = (stem: string) => [...(text.words.get(stem) ?? [])][0] ?? stem
  const titleStems = [...new Set(text.title)].sort((a, b) => rarity(b) - rarity(a))
  const ofTitle = titleStems.slice(0, maxTitleWords).filter((stem, index) => index < minTitleWords || !isFrequent(stem))
  const inTitle = new Set(titleStems)
  const weigh = ([stem, count]: [string, number]) => (1 + Math.log(count)) * rarity(stem)
  const telling = [...text.counts]
    .filter(([stem]) => !inTitle.has(stem) && isShared(stem))
    .sort((a, b) => weigh(b) - weigh(a) || (a[0] < b[0] ? -1 : 1))
    .slice(0, maxTextWords)
    .filter(([stem]) => !isFrequent(stem))
    .map(([stem]) => wordOf(stem))
  const otherForms = sameWordsOf(normaliseText(text.posted.title).split(' ')).flatMap(({ kind, others }) =>
    kind === 'synonym' ? others.flatMap((form) => form.split(' ')).filter((word) => !isStopWord(word)) : [],
  )
  const typed = ofTitle.map(wordOf).flatMap((word) => [word, respelled(word) ?? []].flat())
  return [...Array<string[]>(titleWeight).fill(typed).flat(), ...new Set(otherForms), ...telling]
}

/** How many others a request is compared with. */
export const maxCandidates = 16

/** Words in more requests hardly distinguish them. */
const frequentShare = 0.1

export interface CandidatesInput {
  executor: Executor
  searchIndex: SearchIndex
  words: WordCounter
}

const wordsOf = ({ words }: ComparedText): string[] => [...words.values()].flatMap((forms) => [...forms])

/** The likely requests that best match a request's title and telling words. @param marked as for the search index */
export async function findCandidates(
  { executor, searchIndex, words }: CandidatesInput,
  text: ComparedText,
  { id, view = sharedView, ...options }: { id: string | null; view?: View; max: number; marked?: RawBuilder<unknown> },
): Promise<Candidate[]> {
  const counts = await words.read(executor, wordsOf(text))
  const most = (stem: string) => Math.max(0, ...[...(text.words.get(stem) ?? [])].map(counts.of))
  const query = candidateWords(text, rarityOf(counts, [text]), {
    isShared: (stem) => most(stem) > 1,
    isFrequent: (stem) => most(stem) > frequentShare * Math.max(minRequests, counts.requests),
  })
  const found = await searchIndex.candidates(executor, query, { view, ...options, max: options.max + 1 })
  return found.filter((candidate) => candidate.id !== id).slice(0, options.max)
}

/** The ids of the best candidates. */
export const findCandidateIds = async (
  input: CandidatesInput,
  text: ComparedText,
  { max = maxCandidates, ...options }: { id: string | null; view?: View; max?: number },
): Promise<string[]> => (await findCandidates(input, text, { max, ...options })).map(({ id }) => id)

/** Reads the texts of requests in compared form; unknown ids are omitted. */
export async function readComparedTexts(
  executor: Executor,
  ids: readonly string[],
): Promise<Map<string, ComparedText>> {
  if (ids.length === 0) return new Map()
  const { rows } = await sql<{ id: string } & Parameters<typeof comparedTextOf>[0]>`
    select id, title, left(description, ${sql.lit(comparedLength)}) as description, platform, source_name as "sourceName"
    from requests where id = any(${ids}::uuid[])`.execute(executor)
  return new Map(rows.map((row) => [row.id, comparedTextOf(row)]))
}

/** Reads the word counts needed to compare texts. */
export const readCounts = ({ executor, words }: CandidatesInput, texts: Iterable<ComparedText>): Promise<WordCounts> =>
  words.read(executor, [...texts].flatMap(wordsOf))
