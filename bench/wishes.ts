import { existsSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { type JudgedCollection, readJudged } from '../scripts/wishes/corpora.ts'
import { openCorpusDatabase } from '../scripts/wishes/corpus-database.ts'
import { comparePairs, type Pair, recallAt } from '../scripts/wishes/pairs.ts'
import { joiningThreshold } from '../src/wishes/pairs/scorer.ts'
import { measureThroughput } from './wishes-throughput.ts'

// How well requests that ask for the same are found and joined.
//   node bench/wishes.ts --judged DIR            corpus.jsonl.gz, queries.jsonl, qrels.tsv: each query is a new request; the last line is JSON
//   node bench/wishes.ts --throughput 100000     requests placed in a second, and how long searches take meanwhile

const cutoff = 5
const thresholds = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8]

/** The best candidate of each query, where it is similar enough: a new request joins one wish at most. */
function joinsAt(pairs: readonly Pair[], threshold: number): Pair[] {
  const best = new Map<string, Pair>()
  for (const pair of pairs) if (pair.similarity > (best.get(pair.query)?.similarity ?? 0)) best.set(pair.query, pair)
  return [...best.values()].filter(({ similarity }) => similarity >= threshold)
}

/** Recall is of the queries: those that joined what is relevant to them, of those to which anything is relevant. */
function qualityAt(pairs: readonly Pair[], threshold: number, { relevant }: JudgedCollection) {
  const joins = joinsAt(pairs, threshold)
  const right = joins.filter(({ query, candidate }) => relevant.get(query)?.has(candidate)).length
  return {
    joins: joins.length,
    precision: joins.length === 0 ? 1 : right / joins.length,
    recall: right / relevant.size,
  }
}

const rounded = (figure: number) => Math.round(figure * 1_000) / 1_000

async function measureJudged(directory: string): Promise<void> {
  const collection = readJudged(directory)
  const corpus = await openCorpusDatabase()
  try {
    const requestIds = await corpus.store(collection.texts)
    const pairs = await comparePairs(corpus, collection.queries, requestIds)
    console.log(`${collection.texts.length} texts, ${collection.queries.length} queries (${corpus.searchIndex.kind})`)
    console.table(
      [1, cutoff, 10, 16].map((rank) => ({
        rank,
        'recall of candidates': rounded(recallAt(pairs, rank, collection.relevant)),
      })),
    )
    console.table(
      thresholds.map((threshold) => {
        const { joins, precision, recall } = qualityAt(pairs, threshold, collection)
        return { threshold, joins, 'precision at least': rounded(precision), recall: rounded(recall) }
      }),
    )
    const { precision, recall } = qualityAt(pairs, joiningThreshold, collection)
    const recallAt5 = rounded(recallAt(pairs, cutoff, collection.relevant))
    console.log(JSON.stringify({ recallAt5, joinPrecision: rounded(precision), joinRecall: rounded(recall) }))
  } finally {
    await corpus.close()
  }
}

const { values } = parseArgs({
  options: {
    judged: { type: 'string' },
    throughput: { type: 'string' },
  },
})
if (values.judged !== undefined) {
  if (existsSync(values.judged)) await measureJudged(values.judged)
  else console.error(`skipped: there is no judged collection at ${values.judged}`)
}
if (values.throughput !== undefined) await measureThroughput(Number(values.throughput))
