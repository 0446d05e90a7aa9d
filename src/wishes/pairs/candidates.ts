import { sql } from 'kysely'
import type { Executor } from '../../database/open.ts'
import { sharedView, type View } from '../../requests/views/view.ts'
import type { SearchIndex } from '../../search/search-index.ts'
import { candidateWords } from './candidate-query.ts'
import { type ComparedText, comparedLength, comparedTextOf } from './compared-text.ts'
import { minRequests, rarityOf, type WordCounter, type WordCounts } from './rarity.ts'

/** A request is compared with at most so many others. */
export const maxCandidates = 16

/** A word that more requests have hardly tells one from another. */
const frequentShare = 0.1

export interface CandidatesInput {
  executor: Executor
  searchIndex: SearchIndex
  words: WordCounter
}

export interface RequestText {
  title: string
  description: string
}

const wordsOf = ({ words }: ComparedText): string[] => [...words.values()].flatMap((forms) => [...forms])

/** The ids of the likely requests of a view that match the title and the telling words of a request best, without itself. */
export async function findCandidateIds(
  { executor, searchIndex, words }: CandidatesInput,
  text: ComparedText,
  { id, view = sharedView, max = maxCandidates }: { id: string | null; view?: View; max?: number },
): Promise<string[]> {
  const counts = await words.read(executor, wordsOf(text))
  const most = (stem: string) => Math.max(0, ...[...(text.words.get(stem) ?? [])].map(counts.of))
  const query = candidateWords(text, rarityOf(counts, [text]), {
    isShared: (stem) => most(stem) > 1,
    isFrequent: (stem) => most(stem) > frequentShare * Math.max(minRequests, counts.requests),
  })
  const found = await searchIndex.candidates(executor, query, { view, max: max + 1 })
  return found
    .filter((candidate) => candidate.id !== id)
    .slice(0, max)
    .map((candidate) => candidate.id)
}

/** The texts of requests, in the form in which they are compared; ids without a request are left out. */
export async function readComparedTexts(
  executor: Executor,
  ids: readonly string[],
): Promise<Map<string, ComparedText>> {
  if (ids.length === 0) return new Map()
  const { rows } = await sql<RequestText & { id: string }>`
    select id, title, left(description, ${sql.lit(comparedLength)}) as description from requests
    where id = any(${ids}::uuid[])`.execute(executor)
  return new Map(rows.map((row) => [row.id, comparedTextOf(row)]))
}

/** Reads the counts of the words of some texts, so that they can be compared. */
export const readCounts = ({ executor, words }: CandidatesInput, texts: Iterable<ComparedText>): Promise<WordCounts> =>
  words.read(executor, [...texts].flatMap(wordsOf))
