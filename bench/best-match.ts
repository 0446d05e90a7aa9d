import { existsSync } from 'node:fs'
import { sql } from 'kysely'
import { seededRandom } from '../scripts/detection/random.ts'
import { reorderedMatches, tierDepth } from '../src/search/best-match.ts'
import { bm25 } from '../src/search/bm25.ts'
import { parseQuery } from '../src/search/query.ts'
import { openSearchIndex } from '../src/search/search-index.ts'
import { openBenchDatabase } from './bench-database.ts'
import { createLoader } from './engines/load.ts'
import { judgedDirectory, ndcg, queryLimit, readCollection } from './judged.ts'

// What the order by best match costs and gains (decision 044): what the scores of judged matches say about which of two is relevant, and what
// tiers of several depths, ordered by simulated votes, do to nDCG@10. Chosen by titanium; cranfield checks.
//   node bench/best-match.ts

const rankCutoff = 10
const simulations = 20

interface JudgedMatch {
  id: string
  score: number
  grade: number
}

interface JudgedQuery {
  matches: JudgedMatch[]
  grades: ReadonlyMap<string, number>
}

/** The best 101 matches of each query, as the index ranks them. */
async function readMatches(name: string): Promise<JudgedQuery[]> {
  const { documents, queries, grades } = readCollection(name)
  const { database, close } = await openBenchDatabase()
  try {
    await openSearchIndex(database)
    const load = await createLoader(database)
    for (let start = 0; start < documents.length; start += 500) await load(documents.slice(start, start + 500))
    const judged: JudgedQuery[] = []
    for (const { _id, text } of queries) {
      const graded = grades.get(_id)
      if (graded === undefined) continue
      const { words } = parseQuery(
        [...text]
          .slice(0, queryLimit)
          .join('')
          .replaceAll('"', ' ')
          .replace(/(?<!\S)-/g, ''),
      )
      const { rows } = await sql<{ id: string; score: number }>`
        select source_id as id, score from (${bm25.best(words.join(' '), null, 101)}) as matches
        join requests on requests.id = request_id order by score desc, request_id`.execute(database)
      judged.push({ matches: rows.map((row) => ({ ...row, grade: graded.get(row.id) ?? 0 })), grades: graded })
    }
    return judged
  } finally {
    await close()
  }
}

const mean = (numbers: readonly number[]) => numbers.reduce((sum, number) => sum + number, 0) / numbers.length
const shown = (number: number, digits = 4) => number.toFixed(digits).replace(/^(-?)0\./, '$1.')

/** Of pairs of matches of which one is relevant: how often it is the one with the better score, by how much better that is. */
function comparePairs(queries: readonly JudgedQuery[]): void {
  const width = 0.05
  const bins = Array.from({ length: 14 }, () => ({ pairs: 0, better: 0 }))
  for (const { matches } of queries) {
    const first = matches.slice(0, 20)
    for (const [place, better] of first.entries()) {
      for (const worse of first.slice(place + 1)) {
        if (better.grade > 0 === worse.grade > 0) continue
        const bin = bins[Math.floor((better.score / worse.score - 1) / width)]
        if (bin === undefined) continue
        bin.pairs++
        if (better.grade > 0) bin.better++
      }
    }
  }
  console.log('better by | pairs | the better one is the relevant one')
  for (const [index, { pairs, better }] of bins.entries()) {
    const range = `${Math.round(index * width * 100)}-${Math.round((index + 1) * width * 100)} %`
    console.log(`${range} | ${pairs} | ${shown(better / pairs, 2)}`)
  }
}

interface Simulation {
  /** How many times as many votes a relevant request has: 1 where votes say nothing about relevance. */
  lift: number
}

/** Votes as platforms have them: the median 3, one of a hundred 120 and more. Two normal numbers by Box and Muller. */
function simulate(match: JudgedMatch, random: () => number, { lift }: Simulation): JudgedMatch & { votes: number } {
  const normal = Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random())
  return { ...match, votes: Math.floor(3 * Math.exp(1.6 * normal) * (match.grade > 0 ? lift : 1)) }
}

/** As the search orders matches whose titles say more than the query. @param found in the order of their scores */
function orderByTiers<T extends { score: number; votes: number }>(found: readonly T[], depth: number): T[] {
  const tiers: T[][] = []
  for (const match of found.slice(0, reorderedMatches)) {
    const last = tiers.at(-1)
    if (last === undefined || match.score < last[0]!.score * (1 - depth)) tiers.push([match])
    else last.push(match)
  }
  return [...tiers.flatMap((tier) => tier.toSorted((a, b) => b.votes - a.votes)), ...found.slice(reorderedMatches)]
}

function quality(queries: readonly JudgedQuery[], depth: number, simulation: Simulation): number {
  const scores: number[] = []
  for (let seed = 0; seed < simulations; seed++) {
    const random = seededRandom(seed)
    for (const { matches, grades } of queries) {
      const simulated = matches.map((match) => simulate(match, random, simulation))
      const ranking = orderByTiers(simulated, depth).map(({ id }) => id)
      const score = ndcg(ranking, grades, rankCutoff)
      if (score !== null) scores.push(score)
    }
  }
  return mean(scores)
}

function compare(queries: readonly JudgedQuery[]): void {
  const before = quality(queries, 0, { lift: 1 })
  console.log(`by words alone ${shown(before)}\ndepth | votes say nothing | relevant: votes x 2 | x 4`)
  for (const depth of [0.05, tierDepth, 0.15, 0.2]) {
    const changes = [1, 2, 4].map((lift) => quality(queries, depth, { lift }) - before)
    console.log([String(depth), ...changes.map((change) => shown(change))].join(' | '))
  }
}

if (!existsSync(judgedDirectory)) console.log(`skipped: the judged collections are not at ${judgedDirectory}`)
else {
  for (const name of ['titanium-jira-dups-features', 'cranfield']) {
    const queries = await readMatches(name)
    console.log(`\n${name}`)
    comparePairs(queries)
    compare(queries)
  }
}
