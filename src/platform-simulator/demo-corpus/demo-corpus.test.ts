import { describe, expect, it } from 'vitest'
import { createDemoCorpus, demoRecords, sections } from './index.ts'

const now = new Date('2026-06-15T12:00:00.000Z')
const dayMs = 86_400_000
const all = demoRecords(now)
const records = all.map(({ record }) => record)

const sentencesOf = (text: string) =>
  text
    .split(/(?<=[.!?])\s+(?=\p{Lu})/u)
    .map((sentence) => sentence.trim().toLowerCase())
    .filter((sentence) => sentence !== '')

describe('what the demo shows', () => {
  it('is hundreds of wishes, each with words of its own: no title and no sentence comes twice', () => {
    expect(records.length).toBeGreaterThanOrEqual(400)
    const texts = sections.flatMap(({ texts }) => texts.trim().split('\n'))
    const sentences = texts.flatMap((line) => line.replace(/^! /, '').split(' | ').flatMap(sentencesOf))
    const twice = sentences.filter((sentence, index) => sentences.indexOf(sentence) !== index)
    expect(twice).toEqual([])
    expect(texts.filter((line) => line.split(' | ').length !== 2)).toEqual([])
    expect(records.filter(({ title, body }) => `${title}${body}`.includes('{p}'))).toEqual([])
  })

  it('has only characters that every font has', () => {
    // Basic Latin, Latin-1, Latin Extended-A and the usual punctuation.
    const strange = /[^\n\x20-\x7e\u00a0-\u017f\u2013\u2014\u2018-\u201d\u2026\u20ac]/
    for (const { title, body, author } of records) expect(`${title}\n${body}\n${author?.name}`).not.toMatch(strange)
  })

  it('goes back three years from now, with many of the last days and none of the future', () => {
    const ages = records.map(({ createdAt }) => (now.getTime() - createdAt.getTime()) / dayMs)
    expect(Math.min(...ages)).toBeGreaterThan(0)
    expect(Math.max(...ages)).toBeLessThan(3 * 365 + 1)
    expect(ages.filter((age) => age < 7).length).toBeGreaterThan(30)
    expect(ages.filter((age) => age > 365).length).toBeGreaterThan(100)
    for (const { topic } of sections.slice(0, 10)) {
      const young = all.filter(
        (found) => found.topic === topic && now.getTime() - found.record.createdAt.getTime() < 30 * dayMs,
      )
      expect(young.length, topic).toBeGreaterThan(0)
    }
  })

  it('has votes with a long tail, and some wishes that were fulfilled or declined', () => {
    const votes = records.map((record) => record.votes).sort((a, b) => a - b)
    expect(votes[Math.floor(votes.length / 2)]).toBeLessThan(20)
    expect(votes.at(-1)).toBeGreaterThan(100)
    const resolutions = records.map(({ resolution }) => resolution)
    expect(resolutions.filter((resolution) => resolution === 'completed').length).toBeGreaterThan(10)
    expect(resolutions.filter((resolution) => resolution === 'not_planned').length).toBeGreaterThan(5)
  })

  it('is the same in every process, and has ids that are unique on a platform', () => {
    expect(demoRecords(now)).toEqual(all)
    const ids = all.map(({ place, record }) => `${place.split('/')[0]} ${record.id}`)
    expect(new Set(ids).size).toBe(ids.length)
  })
})

describe('a search of the demo', () => {
  const corpus = createDemoCorpus(now)

  it('finds what belongs to a topic, and what holds all of its words', () => {
    const found = corpus.records('github', 'dark mode')
    expect(found.length).toBeGreaterThan(3)
    expect(corpus.records('github', 'dark').map(({ id }) => id)).toEqual(expect.arrayContaining([found[0]!.id]))
    expect(corpus.records('github', 'zeppelin')).toEqual([])
  })

  it('finds something for every topic', () => {
    const places = [...new Set(all.map(({ place }) => place))]
    for (const { topic } of sections) {
      expect(places.flatMap((place) => corpus.records(place, topic)).length, topic).toBeGreaterThanOrEqual(9)
    }
  })
})
