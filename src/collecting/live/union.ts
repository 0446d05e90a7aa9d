import type { Executor } from '../../database/open.ts'
import { topicKey } from '../../platforms/topic-words.ts'
import { likelihoods, type RequestRecord } from '../../requests/record.ts'
import { type AnswerInput, readAskedTotals, type SearchPage } from '../../search/answer.ts'
import { searchCap } from '../../search/orders.ts'
import { plainQuery, splitQuery } from '../../search/query.ts'
import { searchQuery } from '../../search/query-search.ts'
import type { FoundMatches, SearchIndex } from '../../search/search-index.ts'

/**
 * Reciprocal rank fusion (Cormack, Clarke and Büttcher, "Reciprocal Rank Fusion outperforms Condorcet and individual
 * Rank Learning Methods", 2009): a row scores 1 / (k + rank) per list; the query's list counts twice.
 */
const fusionConstant = 60
const queryWeight = 2
const topicWeight = 1

export interface RankedList {
  ids: readonly string[]
  weight: number
}

/** Merges lists without duplicates, best first; ties keep the order of the lists. */
export function fuseRanks(lists: readonly RankedList[]): string[] {
  const scores = new Map<string, number>()
  for (const { ids, weight } of lists) {
    for (const [index, id] of ids.entries()) {
      scores.set(id, (scores.get(id) ?? 0) + weight / (fusionConstant + index + 1))
    }
  }
  return [...scores].sort(([, a], [, b]) => b - a).map(([id]) => id)
}

export interface UnionInput extends AnswerInput {
  /** Expansion topics; one equal to the query is ignored. */
  topics: readonly string[]
}

const postedAt = ({ originalCreatedAt, createdAt }: RequestRecord) => Date.parse(originalCreatedAt ?? createdAt)
const sortKeys = { votes: ({ votes }: RequestRecord) => votes, new: postedAt } as const

/** Best matches of a query and its topics. Its filters and exclusions apply to all, its phrases only to its own. */
export async function searchUnion(executor: Executor, index: SearchIndex, input: UnionInput): Promise<SearchPage> {
  const { query, topics, offset, sortBy = 'relevance', prefix, ...shared } = input
  const { asked, leftOut } = splitQuery(query)
  const related = topics.filter((topic) => topicKey(topic) !== topicKey(asked))
  const all = { ...shared, sortBy, offset: 0, limit: searchCap }
  const own = await searchQuery(index, executor, { ...all, query, ...(prefix === undefined ? {} : { prefix }) })
  const found: FoundMatches[] = [own]
  // Sequential: the embedded database has one connection, and other statements can run in between.
  for (const topic of related) {
    found.push(await index.search(executor, { ...all, query: `${plainQuery(topic)} ${leftOut}` }))
  }
  const records = new Map(found.flatMap(({ results }) => results.map((record) => [record._id, record])))
  const lists = found.map(({ results }, position) => ({
    ids: results.map(({ _id }) => _id),
    weight: position === 0 ? queryWeight : topicWeight,
  }))
  const merged = fuseRanks(lists).flatMap((id) => records.get(id) ?? [])
  // Both sorts are stable: ties stay in order of relevance, and a class in search order.
  if (sortBy !== 'relevance') merged.sort((a, b) => sortKeys[sortBy](b) - sortKeys[sortBy](a))
  merged.sort((a, b) => likelihoods.indexOf(a.likelihood) - likelihoods.indexOf(b.likelihood))
  const end = Math.min(offset + input.limit, searchCap)
  const more = merged.length > end || found.some((matches) => matches.more)
  return {
    results: merged.slice(offset, end),
    hasMore: more && end < searchCap,
    limitReached: more && end >= searchCap,
    window: found.find((matches) => matches.window !== null)?.window ?? null,
    // A request may match several searches.
    maybeResults: new Set(found.flatMap(({ maybeIds }) => maybeIds)).size,
    words: [...new Set(found.flatMap(({ words }) => words))],
    // Only the query's own: topics have other words.
    totals: await readAskedTotals(index, executor, input, own.understood),
    understood: own.understood,
    onlyWords: own.onlyWords,
  }
}
