import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { searchWords, topicKey } from '../../platforms/topic-words.ts'
import { distinctTopics, queryTopic } from './topics.ts'

/** Any UTF-16 unit, lone surrogates too. */
const anyUnit = fc.integer({ min: 0, max: 0xffff }).map((unit) => String.fromCharCode(unit))

describe('a query as a topic', () => {
  it.each([
    ['  dark \n\t mode ', 'dark mode'],
    ['C++', 'C++'],
    ['🌙🌙', '🌙🌙'],
    [`${'word '.repeat(30)}end`, 'word '.repeat(20).trim()],
    ['x'.repeat(200), 'x'.repeat(100)],
  ])('%j is %j', (query, topic) => {
    expect(queryTopic(query)).toBe(topic)
  })

  it.each(['', ' ', 'a', '??', '"" ()'])('%j is none', (query) => {
    expect(queryTopic(query)).toBeNull()
  })

  it('is always valid for a scrape', () => {
    fc.assert(
      fc.property(fc.string({ unit: anyUnit, maxLength: 600 }), (query) => {
        const topic = queryTopic(query)
        if (topic === null) return
        expect(topic).toBe(topic.trim())
        expect([...topic].length).toBeGreaterThanOrEqual(2)
        expect([...topic].length).toBeLessThanOrEqual(100)
        expect(topic.isWellFormed()).toBe(true)
        expect(topic).not.toMatch(/\p{Cc}/u)
        expect(searchWords(topic).length).toBeGreaterThan(0)
      }),
    )
  })
})

describe('topics', () => {
  it('are at most five, and no two are equal', () => {
    const topics = ['Dark Mode', 'dark  mode', 'mode, dark', 'dark modes', 'night theme', 'a1', 'b2', 'c3', 'd4']
    const distinct = distinctTopics(topics)
    expect(distinct).toEqual(['Dark Mode', 'night theme', 'a1', 'b2', 'c3'])
    expect(new Set(distinct.map(topicKey)).size).toBe(5)
  })

  it('distinguish C, C++ and C#', () => {
    expect(distinctTopics(['c compiler', 'c++ compiler', 'c# compiler'])).toHaveLength(3)
  })
})
