import { findCandidateIds, readComparedTexts, readCounts } from '../../src/wishes/pairs/candidates.ts'
import { comparedTextOf } from '../../src/wishes/pairs/compared-text.ts'
import { featuresOfCandidates } from '../../src/wishes/pairs/features.ts'
import { createWordCounter, rarityOf } from '../../src/wishes/pairs/rarity.ts'
import { similaritiesOf } from '../../src/wishes/pairs/scorer.ts'
import type { CorpusText } from './corpora.ts'
import type { CorpusDatabase } from './corpus-database.ts'

/** A text and one of its candidates. */
export interface Pair {
  query: string
  candidate: string
  /** 1 for the best match. */
  rank: number
  features: number[]
  /** 0 to 1, as the product has it. */
  similarity: number
}

/** Every query with all of its candidates. @param ids the id of the request of each text, and the other way round. */
export async function comparePairs(
  { database: executor, searchIndex }: CorpusDatabase,
  queries: readonly CorpusText[],
  requestIds: ReadonlyMap<string, string>,
): Promise<Pair[]> {
  const input = { executor, searchIndex, words: createWordCounter() }
  const textIds = new Map([...requestIds].map(([textId, requestId]) => [requestId, textId]))
  const pairs: Pair[] = []
  for (const query of queries) {
    const { platform = 'github', sourceName = 'acme/app' } = query
    const text = comparedTextOf({ ...query, platform, sourceName })
    const ids = await findCandidateIds(input, text, { id: requestIds.get(query.id) ?? null })
    const texts = await readComparedTexts(executor, ids)
    const counts = await readCounts(input, texts.values())
    const others = ids.map((id) => texts.get(id)!)
    const features = featuresOfCandidates(text, others, (one, other) => rarityOf(counts, [one, other]))
    const similarities = similaritiesOf(text, others, counts)
    for (const [index, id] of ids.entries()) {
      const scores = { features: features[index]!, similarity: similarities[index]! }
      pairs.push({ query: query.id, candidate: textIds.get(id)!, rank: index + 1, ...scores })
    }
  }
  return pairs
}

/** The mean over queries of the share of their relevant texts that are among the first `rank` candidates. */
export function recallAt(
  pairs: readonly Pair[],
  rank: number,
  relevant: ReadonlyMap<string, ReadonlySet<string>>,
): number {
  const ofQuery = Map.groupBy(pairs, ({ query }) => query)
  const shares = [...relevant].map(([query, texts]) => {
    const found = (ofQuery.get(query) ?? []).filter((pair) => pair.rank <= rank && texts.has(pair.candidate))
    return found.length / texts.size
  })
  return shares.reduce((sum, share) => sum + share, 0) / shares.length
}
