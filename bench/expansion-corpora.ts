import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gunzipSync } from 'node:zlib'
import { readAllowedPosts } from '../scripts/allowed-posts.ts'

export const corpora = join(
  process.env.WISHWELL_SHARED ?? fileURLToPath(new URL('../../shared', import.meta.url)),
  'corpora',
)
const judged = join(corpora, 'judged/titanium-jira-dups-features')

export interface Post {
  sourceId: string
  title: string
  description: string
}

const readLines = (text: string) =>
  text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line))

export interface JudgedQuery {
  id: string
  text: string
  relevant: string[]
}

export function readJudged(): JudgedQuery[] {
  const relevant = new Map<string, string[]>()
  for (const line of readFileSync(join(judged, 'qrels.tsv'), 'utf8').split('\n').slice(1)) {
    const [query = '', document] = line.split('\t')
    if (document !== undefined) relevant.set(query, [...(relevant.get(query) ?? []), document])
  }
  return readLines(readFileSync(join(judged, 'queries.jsonl'), 'utf8')).map(({ _id, text }) => ({
    id: _id,
    text: [...text].slice(0, 500).join(''),
    relevant: relevant.get(_id) ?? [],
  }))
}

/** At most `maxPosts` posts, spread over the whole corpus. */
export function readRedditPosts(maxPosts: number): Post[] {
  const all = readAllowedPosts(join(corpora, 'reddit-posts.jsonl.gz'))
  const count = Math.min(maxPosts, all.length)
  const some = Array.from({ length: count }, (_, index) => JSON.parse(all[Math.floor((index * all.length) / count)]!))
  return some.map(({ id, title, text }) => ({ sourceId: id, title: title ?? '', description: text ?? '' }))
}

/** Without the issues whose titles are judged queries: a query must not find itself. */
export function readTitaniumIssues(): Post[] {
  const queries = new Set(readJudged().map(({ id }) => id.replace(/^q-/, '')))
  const issues = gunzipSync(readFileSync(join(corpora, 'titanium-issues.jsonl.gz'))).toString('utf8')
  const all = readLines(issues).filter(({ id }) => !queries.has(id))
  return all.map(({ id, title, description }) => ({ sourceId: id, title: title ?? '', description: description ?? '' }))
}
