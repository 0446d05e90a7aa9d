import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gunzipSync } from 'node:zlib'
import type { BenchDocument } from './engines/engine.ts'

// The judged collections, and how good a ranking of one is.

const shared = process.env.WISHWELL_SHARED ?? fileURLToPath(new URL('../../shared', import.meta.url))
export const judgedDirectory = join(shared, 'corpora', 'judged')
/** The API refuses a longer query. */
export const queryLimit = 500

export interface JudgedCollection {
  name: string
  documents: BenchDocument[]
  queries: { _id: string; text: string }[]
  /** Query id to document id to grade; a document that is not named is not relevant. */
  grades: Map<string, Map<string, number>>
}

const parseLines = <T>(text: string): T[] =>
  text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as T)

export function readCollection(name: string): JudgedCollection {
  const directory = join(judgedDirectory, name)
  const grades = new Map<string, Map<string, number>>()
  for (const line of readFileSync(join(directory, 'qrels.tsv'), 'utf8').split('\n').slice(1)) {
    const [query, document, grade] = line.split('\t')
    if (query === undefined || document === undefined) continue
    grades.set(query, (grades.get(query) ?? new Map<string, number>()).set(document, Number(grade)))
  }
  const corpus = gunzipSync(readFileSync(join(directory, 'corpus.jsonl.gz'))).toString('utf8')
  const documents = parseLines<{ _id: string; title?: string; text?: string }>(corpus)
  return {
    name,
    documents: documents.map(({ _id: id, title = '', text: description = '' }) => ({
      id,
      title,
      description,
      votes: 0,
      topic: name,
    })),
    queries: parseLines(readFileSync(join(directory, 'queries.jsonl'), 'utf8')),
    grades,
  }
}

/**
 * The normalised discounted cumulated gain of a ranking at a cutoff, from 0 to 1 (Järvelin and Kekäläinen, "Cumulated
 * gain-based evaluation of IR techniques", 2002; gains as graded, discount log2 of the rank + 1 as in trec_eval).
 * @returns null when nothing is relevant to the query, which then says nothing about the ranking.
 */
export function ndcg(ranking: readonly string[], grades: ReadonlyMap<string, number>, cutoff: number): number | null {
  const cumulate = (gains: number[]) =>
    gains.slice(0, cutoff).reduce((sum, gain, index) => sum + gain / Math.log2(index + 2), 0)
  const ideal = cumulate([...grades.values()].sort((a, b) => b - a))
  return ideal === 0 ? null : cumulate(ranking.map((document) => grades.get(document) ?? 0)) / ideal
}
