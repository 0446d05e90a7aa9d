import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { readAllowedPosts } from '../../scripts/allowed-posts.ts'
import { isStopWord } from '../../src/runtime/text/words.ts'
import type { BenchDocument } from './engine.ts'

const shared = process.env.WISHWELL_SHARED ?? fileURLToPath(new URL('../../../shared', import.meta.url))
export const corpusFile = join(shared, 'corpora', 'reddit-posts.jsonl.gz')

/** Neighbouring documents have a topic, as a page of a scrape has. */
const pageSize = 100
const topics = 500

interface Post {
  title?: string
  text?: string
  selftext?: string
  score?: number
}

/** Numbers from 0 to 1 that are the same in every run (mulberry32). */
export function createRandom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

const wordsOf = (text: string) => text.match(/[\p{L}\p{N}']+/gu) ?? []

export interface Corpus {
  /** The document of a number; beyond the posts that there are, one with every fourth word changed. */
  document(number: number): BenchDocument
  /** Words by how many of the first posts have them, the most frequent first; no stop words. */
  frequentWords: string[]
  rareWords: string[]
}

/** Posts of Reddit, repeated with other words of theirs where they run out: texts as people write them, of any number. */
export function readCorpus(): Corpus {
  const posts = readAllowedPosts(corpusFile).map((line) => JSON.parse(line) as Post)
  const sample = posts.slice(0, 10_000)
  const tokens = sample.flatMap(({ text, selftext }) => wordsOf((text ?? selftext ?? '').slice(0, 400)))
  const documents = new Map<string, number>()
  for (const { title = '', text, selftext } of sample) {
    for (const word of new Set(wordsOf(`${title} ${text ?? selftext ?? ''}`.toLowerCase()))) {
      documents.set(word, (documents.get(word) ?? 0) + 1)
    }
  }
  const words = [...documents].filter(([word]) => /^[a-z]{3,}$/.test(word) && !isStopWord(word))
  const changed = (text: string, random: () => number) =>
    text.replace(/[\p{L}\p{N}']+/gu, (word) =>
      random() < 0.25 ? (tokens[Math.floor(random() * tokens.length)] ?? word) : word,
    )
  return {
    document: (number) => {
      const { title = '', text, selftext, score = 0 } = posts[number % posts.length]!
      const description = text ?? selftext ?? ''
      const random = createRandom(number)
      const again = number >= posts.length
      return {
        id: `post-${number}`,
        title: again ? changed(title, random) : title,
        description: again ? changed(description, random) : description,
        votes: score,
        topic: `topic ${Math.floor(number / pageSize) % topics}`,
      }
    },
    frequentWords: words
      .sort(([, a], [, b]) => b - a)
      .slice(0, 60)
      .map(([word]) => word),
    rareWords: words.filter(([, count]) => count >= 2 && count <= 4).map(([word]) => word),
  }
}
