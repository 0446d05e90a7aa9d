import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { foundRequest, scriptedPlatform } from '../../test/scripted-platform.ts'
import { startTestService, type TestService } from '../../test/service.ts'
import type { PlatformName } from '../database/column-types.ts'
import type { Platform } from '../platforms/platform.ts'
import { excerptOf } from './record.ts'

// Holds (Search, lists and export): a list marks shortened texts and returns whole ones on request

const characters = (text: string) => Array.from(text).length

describe('the beginning of a text', () => {
  it.each([
    ['nothing', ''],
    ['exactly as much as is shown', 'x'.repeat(2_000)],
    ['2,000 characters outside the basic plane', '🎉'.repeat(2_000)],
  ])('is the whole text where it has %s', (_what, text) => {
    expect(excerptOf(text)).toEqual({ description: text, descriptionTruncated: false })
  })

  it('ends with a whole word where one ends near the limit', () => {
    const { description, descriptionTruncated } = excerptOf('twelve chars '.repeat(200))
    expect(descriptionTruncated).toBe(true)
    expect(description).toMatch(/(twelve|chars)$/)
    expect(characters(description)).toBeGreaterThan(1_900)
    expect(excerptOf(`${'x'.repeat(1_990)} 123456789 more`).description).toBe(`${'x'.repeat(1_990)} 123456789`)
    expect(excerptOf(`${'x'.repeat(1_990)} 12345678901 more`).description).toBe('x'.repeat(1_990))
  })

  it.each(['界', '🎉', 'x', '👩‍🚀'])(
    'never ends inside a character, nor is it longer than 2,000 of them: %s',
    (character) => {
      for (const before of ['', 'a', 'a ']) {
        const { description, descriptionTruncated } = excerptOf(before + character.repeat(3_000))
        expect(descriptionTruncated).toBe(true)
        expect(description.isWellFormed()).toBe(true)
        expect(characters(description)).toBe(2_000)
      }
    },
  )
})

const long = `needle in front. ${'Some words about it. '.repeat(400)}The end is a haystack.`
const similarTo = 'Export the whole calendar as one file'

describe('a long description', () => {
  let service: TestService
  beforeAll(async () => {
    const requests = [
      foundRequest('1', { title: similarTo, description: long }),
      foundRequest('2', { title: similarTo, description: long }),
      foundRequest('3', { title: 'Short', description: 'A short one, with a needle.' }),
    ]
    const github = scriptedPlatform('github', () => ({ requests, nextCursor: null }))
    const platforms = new Map<PlatformName, Platform>([['github', github]])
    service = await startTestService({ platforms })
    const { body } = await service.client.scrape({ topic: 'calendar', platforms: ['github'] })
    await service.client.waitForJob(body.data.jobId)
  })
  afterAll(() => service.stop())

  const get = async (path: string) => (await service.client.get(path)).body.data
  const idOf = async (title: string) =>
    (await get('/api/v1/requests')).results.find((one: { title: string }) => one.title === title)._id as string

  /** Every answer that lists requests, with what is added to ask for whole texts. */
  const lists: [name: string, read: (fullText: boolean) => Promise<{ description: string }[]>][] = [
    ['the list', async (fullText) => (await get(`/api/v1/requests?fullText=${fullText}`)).results],
    [
      'the list by a filter',
      async (fullText) => (await get(`/api/v1/requests?platforms=github&fullText=${fullText}`)).results,
    ],
    [
      'the realtime list',
      async (fullText) =>
        (await get(`/api/v1/requests?topic=calendar&source=realtime&platforms=github&fullText=${fullText}`)).results,
    ],
    ['a search', async (fullText) => (await service.client.search('calendar needle', { fullText })).body.data.results],
    [
      'a filtered search',
      async (fullText) =>
        (await service.client.search('calendar needle', { fullText, filters: { topic: 'calendar' } })).body.data
          .results,
    ],
    [
      'an expanded search',
      async (fullText) =>
        (await service.client.search('calendar needle', { fullText, expand: true, platforms: ['github'] })).body.data
          .results,
    ],
    [
      'the similar ones',
      async (fullText) => (await get(`/api/v1/requests/${await idOf(similarTo)}/similar?fullText=${fullText}`)).results,
    ],
  ]
  it.each(lists)('is shown by its beginning in %s, and whole with fullText', async (_name, read) => {
    const shown = (await read(false)).filter(({ description }) => long.startsWith(description))
    expect(shown.length).toBeGreaterThan(0)
    for (const one of shown) {
      expect(one).toMatchObject({ descriptionTruncated: true })
      expect(characters(one.description)).toBeLessThanOrEqual(2_000)
    }
    const whole = await read(true)
    expect(whole.filter(({ description }) => description === long)).toHaveLength(shown.length)
    for (const one of whole) expect(one).toMatchObject({ descriptionTruncated: false })
  })

  it('is shown by its beginning among the wishes of a topic', async () => {
    const { wishes } = await get('/api/v1/topics/calendar')
    const wish = wishes.find((one: { request: { title: string } }) => one.request.title === similarTo)
    expect(wish.request).toMatchObject({ descriptionTruncated: true })
  })

  it('is whole by its id, and a short one is never marked as truncated', async () => {
    expect(await get(`/api/v1/requests/${await idOf(similarTo)}`)).toMatchObject({
      description: long,
      descriptionTruncated: false,
    })
    const short = (await get('/api/v1/requests')).results.find((one: { title: string }) => one.title === 'Short')
    expect(short.descriptionTruncated).toBe(false)
  })

  it('is whole in an export, which says nothing of truncation', async () => {
    const authorization = `Bearer ${service.apiKey}`
    const exported = await fetch(`${service.url}/api/v1/requests/export`, { headers: { authorization } })
    const records = (await exported.text())
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(records.filter(({ description }) => description === long)).toHaveLength(2)
    for (const record of records) expect(record).not.toHaveProperty('descriptionTruncated')
    const csv = (await service.client.get('/api/v1/requests/export?format=csv')).text
    expect(csv).toContain('haystack')
    expect(csv.slice(0, csv.indexOf('\r'))).not.toContain('descriptionTruncated')
  })

  it('is highlighted where it is shown', async () => {
    const search = async (query: string, fullText: boolean) => {
      const { body } = await service.client.search(query, { highlight: true, fullText })
      return body.data.results[0].highlights.find(({ field }: { field: string }) => field === 'description')
    }
    for (const fullText of [false, true]) {
      const { text, ranges } = await search('needle front', fullText)
      expect(text.slice(...ranges[0])).toBe('needle')
    }
    expect(await search('haystack', false)).toBeUndefined()
    const { text, ranges } = await search('haystack', true)
    expect(text.slice(...ranges[0])).toBe('haystack')
  })
})
