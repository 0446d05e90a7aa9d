import { sql } from 'kysely'
import type { Database } from '../../database/open.ts'
import { unlessAborted } from '../../runtime/abort.ts'
import type { Clock } from '../../runtime/clock.ts'
import { plainQuery } from '../../search/query.ts'
import type { SearchIndex } from '../../search/search-index.ts'
import { type Background, countBackground, type SampledText } from './background.ts'
import type { Source } from './candidates.ts'
import { significantPhrases } from './significant-phrases.ts'

const matchLimit = 100
const matchTextLimit = 4_000
const sampleSize = 1_500
const sampledTextLimit = 1_200
/** Maximum rows read for the sample, including unlisted ones. */
const scannedRows = 4 * sampleSize
/** Validity of counts. Those of a cache smaller than a sample change faster and cost less. */
const backgroundMs = 10 * 60_000
const smallBackgroundMs = 60_000

export interface CachePhrases {
  /** Up to `limit` significant phrases of the cached requests that match a query, best first; bounded work. */
  phrasesFor(query: string, limit: number, signal: AbortSignal): Promise<string[]>
}

interface Match extends Source {
  names: string[]
}

const nameKey = (name: string) => name.normalize('NFKC').toLowerCase().replace(/\s+/gu, '')
/** A whole name without spaces, and each of its words. */
const partsOfName = (name: string) => [nameKey(name), ...name.split(/\s+/u).map(nameKey)]

async function findMatches(database: Database, searchIndex: SearchIndex, query: string): Promise<Match[]> {
  const { results } = await searchIndex.search(database, { query: plainQuery(query), offset: 0, limit: matchLimit })
  const ids = results.map(({ _id }) => _id)
  if (ids.length === 0) return []
  const rows = await database
    .selectFrom('requests')
    .select(['id', 'title', 'author_name', 'author_handle'])
    .select(sql<string>`left(description, ${sql.lit(matchTextLimit)})`.as('description'))
    .where('id', 'in', ids)
    .execute()
  const byId = new Map(rows.map((row) => [row.id, row]))
  // In rank order, without requests purged meanwhile.
  return ids.flatMap((id) => {
    const row = byId.get(id)
    if (row === undefined) return []
    const names = [row.author_handle, row.author_name].filter((name) => name !== null)
    const author = nameKey(names[0] ?? '')
    return [{ id, title: row.title, description: row.description, author, names: names.flatMap(partsOfName) }]
  })
}

/** Ids are random, so the first ones are a sample. Excludes unlisted texts: topics must not leak across accounts. */
const readSample = (database: Database): Promise<SampledText[]> =>
  database
    .selectFrom((requests) =>
      requests
        .selectFrom('requests')
        .select(['id', 'title', 'description', 'standing'])
        .orderBy('id')
        .limit(scannedRows)
        .as('first'),
    )
    .select(['id', 'title'])
    .select(sql<string>`left(description, ${sql.lit(sampledTextLimit)})`.as('description'))
    .where('standing', '>=', 0)
    .orderBy('id')
    .limit(sampleSize)
    .execute()

export function createCachePhrases(dependencies: {
  database: Database
  searchIndex: SearchIndex
  clock: Clock
}): CachePhrases {
  const { database, searchIndex, clock } = dependencies
  let cached: { background: Background; until: Date } | null = null
  let underWay: Promise<Background> | null = null

  const count = async (now: Date): Promise<Background> => {
    const background = await countBackground(await readSample(database))
    const validMs = background.size < sampleSize ? smallBackgroundMs : backgroundMs
    cached = { background, until: new Date(now.getTime() + validMs) }
    return background
  }
  /** Concurrent callers share one count, which outlives their aborts: the next caller uses it. */
  const backgroundNow = async (signal: AbortSignal): Promise<Background> => {
    const now = clock.now()
    if (cached !== null && cached.until > now) return cached.background
    underWay ??= count(now).finally(() => {
      underWay = null
    })
    return unlessAborted(underWay, signal)
  }

  return {
    phrasesFor: async (query, limit, signal) => {
      const matches = await findMatches(database, searchIndex, query)
      signal.throwIfAborted()
      if (matches.length === 0) return []
      const background = await backgroundNow(signal)
      const names = new Set(matches.flatMap((match) => match.names))
      return significantPhrases(query, matches, { background, names, limit, signal })
    },
  }
}
