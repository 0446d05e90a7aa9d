import { sql } from 'kysely'
import type { Executor } from '../../database/open.ts'
import type { ComparedText } from './compared-text.ts'

/** The inverse document frequency of a stem (natural logarithm); above 0 even if all requests have it. */
export type Rarity = (stem: string) => number

/** In a smaller cache, word counts say little about how telling a word is. */
export const minRequests = 1_000

/** How many listed requests have each word, and the number of requests. */
export interface WordCounts {
  requests: number
  of(word: string): number
}

/** The rarity of some texts' stems, by the most frequent word of each stem. */
export function rarityOf({ requests, of }: WordCounts, texts: readonly ComparedText[]): Rarity {
  const frequencies = new Map<string, number>()
  for (const { words } of texts) {
    for (const [stem, forms] of words) {
      for (const form of forms) frequencies.set(stem, Math.max(frequencies.get(stem) ?? 0, of(form)))
    }
  }
  const all = Math.max(minRequests, requests)
  return (stem) => Math.log(1 + all / (1 + (frequencies.get(stem) ?? 0)))
}

const maxRemembered = 200_000
/** How long a count is reused: rarity changes quickly in a new cache. */
const rememberedMs = 60_000

export interface WordCounter {
  /** The counts of these words, and of all read before. */
  read(executor: Executor, words: Iterable<string>): Promise<WordCounts>
}

/** Reads word counts from the vocabulary, caching them for a minute. */
export function createWordCounter(now: () => number = Date.now): WordCounter {
  const counts = new Map<string, number>()
  let [requests, readAt] = [0, Number.NEGATIVE_INFINITY]
  const forgetOld = async (executor: Executor) => {
    if (now() - readAt < rememberedMs && counts.size < maxRemembered) return
    counts.clear()
    const { rows } = await sql<{ requests: number }>`
      select greatest(reltuples, 0)::float8 as requests from pg_class where oid = 'request_texts'::regclass`.execute(
      executor,
    )
    requests = rows[0]!.requests
    readAt = now()
  }
  return {
    read: async (executor, words) => {
      await forgetOld(executor)
      const unknown = [...new Set(words)].filter((word) => !counts.has(word))
      if (unknown.length > 0) {
        const { rows } = await sql<{ word: string; requests: number }>`
          select word, requests from search_words where word = any(${unknown}::text[])`.execute(executor)
        for (const word of unknown) counts.set(word, 0)
        for (const row of rows) counts.set(row.word, row.requests)
      }
      return { requests, of: (word) => counts.get(word) ?? 0 }
    },
  }
}
