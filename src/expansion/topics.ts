import { topicKey } from '../platforms/topic-key.ts'
import { searchWords } from '../platforms/topic-words.ts'
import { likeness } from './words.ts'

/** The query and what it is expanded into, together. */
export const topicLimit = 5

/** As scrape topics are: characters, not UTF-16 units. */
const shortest = 2
const longest = 100

/**
 * A query as a topic: one line, white space collapsed, at most 100 characters, cut between two words where it can be.
 * @returns null when there is nothing that a platform could be asked for.
 */
export function queryTopic(query: string): string | null {
  const line = query
    .toWellFormed()
    .replace(/[\p{Cc}\s]+/gu, ' ')
    .trim()
  const characters = [...line]
  let topic = line
  if (characters.length > longest) {
    const start = characters.slice(0, longest).join('')
    const end = characters[longest] === ' ' ? start.length : start.lastIndexOf(' ')
    topic = (end > start.length / 2 ? start.slice(0, end) : start).trim()
  }
  return [...topic].length >= shortest && searchWords(topic).length > 0 ? topic : null
}

/** The topics that differ, the first ones first: neither the same by `topicKey` nor the same words in other forms or order. */
export function distinctTopics(topics: readonly string[]): string[] {
  const known = new Set<string>()
  const distinct: string[] = []
  for (const topic of topics) {
    const keys = [topicKey(topic), likeness(topic)]
    if (distinct.length < topicLimit && !keys.some((key) => known.has(key))) distinct.push(topic)
    for (const key of keys) known.add(key)
  }
  return distinct
}
