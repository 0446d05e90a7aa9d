import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import type { PlatformSimulator } from './simulator.ts'
import { ask, movableClock, simulate, type Wire } from './testing.ts'
import { requestPhrases } from './vocabulary.ts'

const key = 'k'

function asker(simulator: PlatformSimulator) {
  const call = (path: string, parameters: Record<string, string | number>) =>
    ask(`${simulator.urls.youtube}/youtube/v3${path}`, { part: 'snippet', key, ...parameters })
  return {
    search: (parameters: Record<string, string | number> = {}) =>
      call('/search', { q: 'dark mode', type: 'video', maxResults: 50, ...parameters }),
    threads: (parameters: Record<string, string | number>) =>
      call('/commentThreads', { textFormat: 'plainText', maxResults: 100, ...parameters }),
  }
}

const videoIdsOf = (body: Wire): string[] => body.items.map((item) => (item.id as { videoId: string }).videoId)
const reasonOf = (body: Wire) => (body.error as { errors: { reason: string }[] }).errors[0]!.reason

async function allThreads(simulator: PlatformSimulator, parameters: Record<string, string | number>) {
  const ids: string[] = []
  let pages = 0
  for (let pageToken: unknown = ''; pageToken !== undefined; pages += 1) {
    const { body } = await asker(simulator).threads({
      ...parameters,
      ...(pageToken ? { pageToken: `${pageToken}` } : {}),
    })
    ids.push(...body.items.map((item) => String(item.id)))
    pageToken = body.nextPageToken
  }
  return { ids, pages }
}

describe('the search of YouTube', () => {
  it('finds the same videos in every process, page by page', async () => {
    const whole = videoIdsOf((await asker(await simulate()).search()).body)
    const paged = asker(await simulate())
    const first = await paged.search({ maxResults: 5 })
    const second = await paged.search({ maxResults: 5, pageToken: String(first.body.nextPageToken) })
    expect([...videoIdsOf(first.body), ...videoIdsOf(second.body)]).toEqual(whole)
    expect(second.body).not.toHaveProperty('nextPageToken')
    expect(whole).toHaveLength(8)
    expect(whole.every((id) => /^[\w-]{11}$/.test(id))).toBe(true)
    expect(videoIdsOf((await paged.search({ q: 'offline' })).body)).not.toEqual(whole)
  })

  it('escapes titles', async () => {
    const text = JSON.stringify(
      (await asker(await simulate({ records: { youtube: [{ title: `"A" & 'b'` }] } })).search()).body,
    )
    expect(text).toContain('&quot;A&quot; &amp; &#39;b&#39;')
  })
})

describe('the comments of YouTube', () => {
  it('are paged by token, each exactly once, all of them wishes or chatter', async () => {
    const simulator = await simulate({ size: 1_600 })
    const [videoId] = videoIdsOf((await asker(simulator).search()).body)
    const { ids, pages } = await allThreads(simulator, { videoId: videoId! })
    expect(pages).toBe(2)
    expect(new Set(ids).size).toBe(200)
    const expected = simulator.expectedRecords('youtube', 'dark mode', { videoId: videoId! })
    expect(expected).toHaveLength(160)
    expect(expected.every(({ sourceId }) => ids.includes(sourceId))).toBe(true)
  })

  it('are narrowed by words', async () => {
    const simulator = await simulate({ size: 400 })
    const [videoId] = videoIdsOf((await asker(simulator).search()).body)
    const wishes: string[] = []
    for (const searchTerms of requestPhrases) {
      const { ids } = await allThreads(simulator, { videoId: videoId!, searchTerms })
      const expected = simulator.expectedRecords('youtube', 'x', { videoId: videoId!, searchTerms })
      expect(ids).toHaveLength(expected.length)
      wishes.push(...expected.map(({ sourceId }) => sourceId))
    }
    const all = simulator.expectedRecords('youtube', 'x', { videoId: videoId! })
    expect(wishes.sort()).toEqual(all.map(({ sourceId }) => sourceId).sort())
  })

  it('are plain or HTML as asked for', async () => {
    const simulator = await simulate({ records: { youtube: [{ title: 't', body: 'a < b\nc' }] } })
    const [videoId] = videoIdsOf((await asker(simulator).search()).body)
    const displayed = async (textFormat: string) =>
      JSON.stringify((await asker(simulator).threads({ videoId: videoId!, textFormat })).body)
    expect(await displayed('plainText')).toContain('"textDisplay":"a < b\\nc"')
    expect(await displayed('html')).toContain('"textDisplay":"a &lt; b<br>c"')
  })

  it('are closed on one video, and another is gone', async () => {
    const simulator = await simulate()
    const { search, threads } = asker(simulator)
    const answers = []
    for (const videoId of videoIdsOf((await search()).body)) answers.push(await threads({ videoId }))
    const refused = answers.filter(({ status }) => status !== 200)
    expect(refused.map(({ status, body }) => [status, reasonOf(body)]).sort()).toEqual([
      [403, 'commentsDisabled'],
      [404, 'videoNotFound'],
    ])
    expect(reasonOf((await threads({ videoId: 'nosuchvideo' })).body)).toBe('videoNotFound')
  })
})

describe('YouTube refuses', () => {
  it.each([
    ['no key', { key: '' }, 403, 'forbidden'],
    ['no part', { part: '' }, 400, 'missingRequiredParameter'],
    ['too large a page', { maxResults: 101 }, 400, 'invalidValue'],
    ['an unknown page', { pageToken: 'x' }, 400, 'invalidPageToken'],
    ['no video', { videoId: '' }, 400, 'missingRequiredParameter'],
  ])('%s', async (_, parameters: Record<string, string | number>, status, reason) => {
    const refused = await asker(await simulate()).threads({ videoId: 'AAAAAAAAAAA', ...parameters })
    expect([refused.status, reasonOf(refused.body)]).toEqual([status, reason])
  })

  it('a key that it does not know', async () => {
    const simulator = await simulate({ validTokens: ['good'] })
    const refused = await asker(simulator).search()
    expect(refused.status).toBe(400)
    expect(refused.body).toMatchObject({ error: { details: [{ reason: 'API_KEY_INVALID' }] } })
    expect((await asker(simulator).search({ key: 'good' })).status).toBe(200)
  })
})

describe('the quotas of YouTube', () => {
  it('count searches apart, and begin anew at midnight in California', async () => {
    const clock = movableClock()
    const simulator = await simulate({ limits: 'real', clock })
    const { search, threads } = asker(simulator)
    const videoId = videoIdsOf((await search()).body)[0]!
    for (let call = 1; call < 100; call += 1) expect((await search()).status).toBe(200)
    const refused = await search()
    expect([refused.status, reasonOf(refused.body)]).toEqual([403, 'quotaExceeded'])
    expect((await threads({ videoId })).status).toBe(200)
    expect((await search({ key: 'another' })).status).toBe(200)
    expect(simulator.breaches).toBe(0)
    // It was midnight in Greenwich.
    clock.forward(7 * 3_600_000)
    expect((await search()).status).toBe(403)
    clock.forward(3_600_000)
    expect((await search()).status).toBe(200)
  })

  it('are no reason for the refusals on demand', async () => {
    const simulator = await simulate({ clock: movableClock() })
    simulator.setFault('youtube', 'silent_rate_limit')
    const silent = await asker(simulator).search()
    expect([silent.status, reasonOf(silent.body), silent.headers.get('retry-after')]).toEqual([
      403,
      'rateLimitExceeded',
      null,
    ])
    simulator.clearFaults()
    simulator.setFault('youtube', 'rate_limit', { seconds: 7 })
    const told = await asker(simulator).search()
    expect([told.status, told.headers.get('retry-after')]).toEqual([429, '7'])
  })
})

const shared = process.env.WISHWELL_SHARED ?? fileURLToPath(new URL('../../../shared', import.meta.url))
const recordings = `${shared}/recorded/youtube/`
const isAbsent = !existsSync(recordings)
if (isAbsent) console.log(`Skipped: no recordings of YouTube in ${recordings}`)

/** Every path to a value, lists merged, so that two bodies can be compared by what they contain. */
function paths(value: unknown, prefix = ''): string[] {
  if (typeof value !== 'object' || value === null) return [prefix]
  const entries = Object.entries(value).map(([name, inner]) => [Array.isArray(value) ? '[]' : `.${name}`, inner])
  return [prefix, ...entries.flatMap(([name, inner]) => paths(inner, prefix + name))]
}

describe.skipIf(isAbsent)('the simulator says all that is in the recording of', () => {
  const recorded = (file: string) => JSON.parse(readFileSync(recordings + file, 'utf8')) as Wire
  const missing = (real: unknown, ours: unknown) =>
    [...new Set(paths(real))].filter((path) => !paths(ours).includes(path))

  it('a search', async () => {
    const { body } = await asker(await simulate()).search({ maxResults: 3 })
    expect(missing(recorded('search-p1.json'), body)).toEqual([])
  })

  it('comments', async () => {
    const simulator = await simulate()
    const [videoId] = videoIdsOf((await asker(simulator).search()).body)
    const { body } = await asker(simulator).threads({ videoId: videoId!, maxResults: 20 })
    expect(missing(recorded('comment-threads-p1.json'), body)).toEqual([])
  })

  it('a spent quota', async () => {
    const simulator = await simulate({ limits: { youtube: { limit: 1, windowMs: 60_000 } } })
    await asker(simulator).search()
    const { body } = await asker(simulator).search()
    // In the recording the link around the word was taken away.
    const plain = JSON.parse(JSON.stringify(body).replace(/<a [^>]*>|<\/a>/g, ''))
    expect(plain).toEqual(recorded('error-403-quota-exceeded.json'))
  })
})
