import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import { text } from 'node:stream/consumers'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { Corpus } from '../corpus.ts'
import type { SimulatedRecord } from '../records.ts'
import { startPlatformSimulator } from '../simulator.ts'
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
    const texts = sections.flatMap(({ texts }) => texts)
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

describe('a week ago', () => {
  const weekAgo = new Date(now.getTime() - 8 * dayMs)
  const heldBy = (corpus: Corpus) =>
    ['github', 'hackernews', 'stackexchange', 'discourse', 'lemmy', 'gitlab'].flatMap((platform) =>
      corpus.known(platform).map(({ record }) => record),
    )

  it('what is younger did not exist, nothing had more votes, and some that is closed was open', () => {
    const corpus = createDemoCorpus(now)
    const today = new Map(heldBy(corpus).map((record) => [record.id, record]))
    corpus.comeTo(weekAgo)
    const before = heldBy(corpus)
    expect(before.length).toBeLessThan(today.size)
    expect(before.every((record) => record.createdAt < weekAgo && record.votes <= today.get(record.id)!.votes)).toBe(
      true,
    )
    const changed = (is: (record: SimulatedRecord, now: SimulatedRecord) => boolean) =>
      before.filter((record) => is(record, today.get(record.id)!)).length
    expect(changed((one, present) => present.votes - one.votes >= 10)).toBeGreaterThan(10)
    expect(changed((one, present) => one.resolution !== present.resolution)).toBeGreaterThan(5)
    corpus.comeTo(now)
    expect(heldBy(corpus)).toEqual([...today.values()])
  })
})

describe('the sites of the demo', () => {
  it('have names of this machine, under which everything that is found can be read', async () => {
    const corpus = createDemoCorpus(now)
    const simulator = await startPlatformSimulator({ corpus, limits: 'none', hasNames: true })
    onTestFinished(simulator.stop)
    const { port } = new URL(simulator.urls.github)
    // As a browser that knows RFC 6761.
    const read = async (address: string) => {
      const { host, pathname, search } = new URL(address)
      const request = get({ port, path: pathname + search, headers: { host, accept: 'text/html' } })
      const [response] = (await once(request, 'response')) as [IncomingMessage]
      return { status: response.statusCode, page: await text(response) }
    }
    const found = await fetch(`${simulator.urls.github}/search/issues?q=dark+mode`, {
      headers: { 'user-agent': 'a test' },
    })
    const [issue] = (
      (await found.json()) as { items: { html_url: string; title: string; user: { html_url: string } }[] }
    ).items
    expect(issue?.html_url).toMatch(`http://github.localhost:${port}/`)
    expect(await read(issue!.html_url)).toMatchObject({
      status: 200,
      page: expect.stringContaining(`<h1>${issue?.title}</h1>`),
    })
    expect((await read(issue!.user.html_url)).status).toBe(404)
    expect(simulator.environment.DISCOURSE_URLS).toContain(`http://meadow.localhost:${port},`)
    expect((await read(`http://meadow.localhost:${port}/search.json?q=dark`)).status).toBe(404)
  })
})
