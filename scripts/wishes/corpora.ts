import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gunzipSync } from 'node:zlib'
import { plainText, plainTitle } from '../../src/platforms/content/text.ts'
import { readAllowedPosts } from '../allowed-posts.ts'

/** Where the corpora are, and whether they are there. */
export const corpora = join(
  process.env.WISHWELL_SHARED ?? fileURLToPath(new URL('../../../shared', import.meta.url)),
  'corpora',
)
export const hasCorpora: boolean = existsSync(corpora)

/** A text of a corpus, cleaned as platforms' texts are before they are stored. */
export interface CorpusText {
  id: string
  title: string
  description: string
  /** Where it was posted; a collection without places is one tracker. */
  platform?: string
  sourceName?: string
  createdAt?: string
}

/** An issue with the ids of those that people marked as its duplicates or originals. */
export interface Issue extends CorpusText {
  duplicates: string[]
}

// Never `readline`, which also ends a line at U+2028.
const linesOf = (text: string) => text.split('\n').filter((line) => line !== '')
const readLines = (file: string): string[] =>
  linesOf(file.endsWith('.gz') ? gunzipSync(readFileSync(file)).toString('utf8') : readFileSync(file, 'utf8'))

const cleanText = (id: string, title?: string | null, description?: string | null): CorpusText => ({
  id,
  title: plainTitle(title ?? ''),
  description: plainText(description ?? ''),
})

export const readTitanium = (): Issue[] =>
  readLines(join(corpora, 'titanium-issues.jsonl.gz')).map((line) => {
    const { id, title, description, createdAt, duplicates } = JSON.parse(line)
    return {
      ...cleanText(id, title, description),
      // The projects are parts of one product.
      platform: 'github',
      sourceName: 'tidev/titanium',
      createdAt,
      duplicates: duplicates.map(([, , other]: [string, string, string]) => other),
    }
  })

/** Posts that may be read. */
export const readPosts = (): CorpusText[] =>
  readAllowedPosts(join(corpora, 'reddit-posts.jsonl.gz')).map((line) => {
    const { id, subreddit, title, text, createdUtc } = JSON.parse(line)
    return {
      ...cleanText(id, title, text),
      platform: 'reddit',
      sourceName: `r/${subreddit}`,
      createdAt: new Date(Number(createdUtc) * 1_000).toISOString(),
    }
  })

/** A collection of texts with queries, and which texts are relevant to each. */
export interface JudgedCollection {
  texts: CorpusText[]
  /** Each is a text that is not in the collection. */
  queries: CorpusText[]
  relevant: Map<string, Set<string>>
}

/** @param directory with `corpus.jsonl.gz`, `queries.jsonl` and `qrels.tsv`. */
export function readJudged(directory: string): JudgedCollection {
  const relevant = new Map<string, Set<string>>()
  for (const line of readLines(join(directory, 'qrels.tsv')).slice(1)) {
    const [query = '', text = '', grade] = line.split('\t')
    if (Number(grade) > 0) relevant.set(query, (relevant.get(query) ?? new Set()).add(text))
  }
  return {
    texts: readLines(join(directory, 'corpus.jsonl.gz')).map((line) => {
      const { _id, title, text } = JSON.parse(line)
      return cleanText(_id, title, text)
    }),
    queries: readLines(join(directory, 'queries.jsonl')).map((line) => {
      const { _id, text, metadata } = JSON.parse(line)
      return cleanText(_id, text, metadata?.body)
    }),
    relevant,
  }
}

/** Issues that were marked as the same, also by way of others: the members of the group of each. */
export function groupsOf(issues: readonly Issue[]): Map<string, Set<string>> {
  const groups = new Map(issues.map(({ id }) => [id, new Set([id])]))
  for (const { id, duplicates } of issues) {
    for (const other of duplicates) {
      const [a, b] = [groups.get(id), groups.get(other)]
      if (a === undefined || b === undefined || a === b) continue
      for (const member of b) groups.set(member, a.add(member))
    }
  }
  return groups
}
