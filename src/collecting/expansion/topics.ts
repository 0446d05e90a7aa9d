import { searchWords, topicKey } from '../../platforms/topic-words.ts'
import { likeness } from './words.ts'

/** Includes the query itself. */
export const topicLimit = 5

/** Scrape topic limits in characters, not UTF-16 units. */
const minCharacters = 2
const maxCharacters = 100

/** A query as one line of at most 100 characters, cut between words. @returns null without a searchable word */
export function queryTopic(query: string): string | null {
  const line = query
    .toWellFormed()
    .replace(/[\p{Cc}\s]+/gu, ' ')
    .trim()
  const characters = [...line]
  let topic = line
  if (characters.length > maxCharacters) {
    const start = characters.slice(0, maxCharacters).join('')
    const end = characters[maxCharacters] === ' ' ? start.length : start.lastIndexOf(' ')
    topic = (end > start.length / 2 ? start.slice(0, end) : start).trim()
  }
  return [...topic].length >= minCharacters && searchWords(topic).length > 0 ? topic : null
}

/** The first five distinct topics; equal ones share a `topicKey`, or the words in any form and order. */
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
