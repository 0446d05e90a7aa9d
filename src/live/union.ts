import type { Executor } from '../database/open.ts'
import type { SearchFilters, SearchIndex } from '../requests/search/search-index.ts'
import { topicKey } from '../requests/topic.ts'

/** A search gives at most this many results in total (spec 4.3), expanded or not. */
const searchCap = 100
/**
 * Reciprocal rank fusion (Cormack, Clarke and Büttcher, "Reciprocal Rank Fusion outperforms Condorcet and individual Rank
 * Learning Methods", 2009): a row scores 1 / (k + its rank) in each list. What was asked for counts twice as much as what was
 * thought of.
 */
const fusionConstant = 60
const queryWeight = 2
const topicWeight = 1

/** One list of ids, best first. */
export interface RankedList {
  ids: readonly string[]
  weight: number
}

/** Merges lists into one without duplicates, best first; equally good ones in the order in which they were met. */
export function fuseRanks(lists: readonly RankedList[]): string[] {
  const scores = new Map<string, number>()
  for (const { ids, weight } of lists) {
    for (const [index, id] of ids.entries()) {
      scores.set(id, (scores.get(id) ?? 0) + weight / (fusionConstant + index + 1))
    }
  }
  return [...scores].sort(([, a], [, b]) => b - a).map(([id]) => id)
}

export interface UnionInput {
  /** As the user typed it. */
  query: string
  /** The topics that the query stands for; the one that is the query itself adds nothing. */
  topics: readonly string[]
  offset: number
  /** `offset` + `limit` is at most 100. */
  limit: number
  filters?: SearchFilters
}

export interface UnionPage {
  ids: string[]
  /** Another page can be had inside the cap. */
  hasMore: boolean
  /** This page ends at result 100 and more match. */
  limitReached: boolean
  window: number | null
}

/** A page of the matches of a query and of the topics that it stands for, the best first. */
export async function searchUnion(executor: Executor, index: SearchIndex, input: UnionInput): Promise<UnionPage> {
  const { query, topics, offset, filters } = input
  const limit = Math.min(input.limit, searchCap - offset)
  const related = topics.filter((topic) => topicKey(topic) !== topicKey(query))
  const lists: RankedList[] = []
  let beyond = false
  let window: number | null = null
  for (const text of [query, ...related]) {
    const matches = await index.search(executor, {
      ...{ query: text, offset: 0, limit: searchCap },
      ...(filters ? { filters } : {}),
    })
    lists.push({ ids: matches.ids, weight: text === query ? queryWeight : topicWeight })
    beyond ||= matches.more
    window = matches.window ?? window
  }
  const fused = fuseRanks(lists)
  const end = offset + limit
  const more = fused.length > end || beyond
  return {
    ids: fused.slice(offset, end),
    hasMore: more && end < searchCap,
    limitReached: more && end >= searchCap,
    window,
  }
}
