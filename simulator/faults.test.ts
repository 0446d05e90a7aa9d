import { gunzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { platformNames } from '../src/platforms/registry.ts'
import type { FaultName } from './faults.ts'
import { platformFacts } from './platform-facts-testing.ts'
import { simulatedPlatformNames } from './platforms/index.ts'
import type { PlatformSimulator } from './simulator.ts'
import { askBare, simulate } from './testing.ts'

const agent = { 'user-agent': 'simulator-test' }

function searchUrl({ urls }: PlatformSimulator, page = 1): string {
  return `${urls.github}/search/issues?q=dark+mode&page=${page}`
}

async function faulty(fault: FaultName, seconds?: number) {
  const simulator = await simulate()
  simulator.setFault('github', fault, seconds === undefined ? {} : { seconds })
  const get = (init: RequestInit = {}) => fetch(searchUrl(simulator), { headers: agent, ...init })
  return { simulator, get }
}

it('every platform of the registry is simulated', () => {
  expect([...simulatedPlatformNames].sort()).toEqual([...platformNames].sort())
})

describe.each(simulatedPlatformNames)('%s', (platform) => {
  const { searchPath, unauthorizedStatus } = platformFacts[platform]
  const headers = { ...agent, authorization: 'Bearer t' }

  it.each([
    ['server_error', 503],
    ['bad_gateway', 502],
    ['html_page', 200],
    ['wrong_shape', 200],
    ['wrong_content_type', 200],
    ['empty_body', 200],
    ['truncated_json', 200],
  ] as const)('has %s once, and is well afterwards', async (fault, status) => {
    const simulator = await simulate()
    simulator.setFault(platform, fault)
    const get = () => fetch(simulator.urls[platform] + searchPath, { headers })
    const spoilt = await get()
    expect(spoilt.status).toBe(status)
    const text = await spoilt.text()
    const well = await get()
    const wellText = await well.text()
    expect(well.status).toBe(200)
    expect(text !== wellText || spoilt.headers.get('content-type') !== well.headers.get('content-type')).toBe(true)
    expect(simulator.requests.map((request) => request.fault)).toEqual([fault, null])
  })

  it('refuses credentials in its own way', async () => {
    const simulator = await simulate()
    simulator.setFault(platform, 'unauthorized')
    const response = await fetch(simulator.urls[platform] + searchPath, { headers })
    expect(response.status).toBe(unauthorizedStatus)
  })
})

describe('a fault of the transport', () => {
  it('ends a compressed body in the middle', async () => {
    // Not by fetch: it forgives a compressed body that ends too early, and hands over half of the text.
    const { simulator } = await faulty('truncated_gzip')
    const response = await askBare(searchUrl(simulator), agent)
    expect(response.headers['content-encoding']).toBe('gzip')
    expect(() => gunzipSync(response.body)).toThrow('unexpected end of file')
  })

  it('resets the connection', async () => {
    const { simulator, get } = await faulty('reset')
    await expect(get()).rejects.toThrow()
    expect(simulator.requests[0]?.status).toBeNull()
  })

  it('never sends headers, or sends them late', async () => {
    const { get } = await faulty('slow_headers')
    await expect(get({ signal: AbortSignal.timeout(50) })).rejects.toThrow()
    const late = await faulty('slow_headers', 0.02)
    expect((await late.get()).status).toBe(200)
  })

  it('stops in the middle of a body', async () => {
    const { simulator, get } = await faulty('stalled_body')
    const patience = new AbortController()
    const response = await get({ signal: patience.signal })
    expect(response.status).toBe(200)
    const reading = expect(response.text()).rejects.toThrow('aborted')
    setTimeout(() => patience.abort(), 50)
    await reading
    expect(simulator.requests[0]?.status).toBe(200)
  })

  it.each(['huge_body', 'gzip_bomb'] as const)('sends a body of 50 MB: %s', async (fault) => {
    const { get } = await faulty(fault)
    const response = await get()
    let bytes = 0
    for await (const chunk of response.body!) bytes += (chunk as Uint8Array).length
    expect(bytes).toBeGreaterThan(50_000_000)
  })
})

describe('a redirect', () => {
  it('can go round in circles', async () => {
    const { get } = await faulty('redirect_loop')
    await expect(get()).rejects.toThrow()
  })

  it('can lead to a private address, where a follower is seen', async () => {
    const { simulator, get } = await faulty('redirect_private')
    const response = await get({ redirect: 'manual' })
    expect(new URL(response.headers.get('location') ?? '').hostname).toBe('localhost')
    expect(simulator.requests).toHaveLength(1)
    await askBare(response.headers.get('location')!.replace('localhost', '127.0.0.1'), agent)
    expect(simulator.requests[1]?.path).toBe('/private')
  })
})

describe('a proxy in front of a platform', () => {
  it.each(['dated_rate_limit', 'html_rate_limit'] as const)('refuses in its own form: %s', async (fault) => {
    const { get } = await faulty(fault, 20)
    const response = await get()
    expect(response.status).toBe(429)
    const told = response.headers.get('retry-after') ?? ''
    expect(told).toMatch(fault === 'dated_rate_limit' ? / GMT$/ : /^2[01]$/)
    expect(response.headers.get('content-type')).toMatch(fault === 'dated_rate_limit' ? /json/ : /html/)
    expect((await get()).status).toBe(403)
  })
})

describe('pages', () => {
  const pages = async (fault: FaultName, asked: number[]) => {
    const simulator = await simulate({ size: 40 })
    simulator.setFault('github', fault, { times: Number.POSITIVE_INFINITY })
    const answers: { ids: number[]; link: string }[] = []
    for (const page of asked) {
      const response = await fetch(searchUrl(simulator, page), { headers: agent })
      const { items } = (await response.json()) as { items: { id: number }[] }
      answers.push({ ids: items.map(({ id }) => id), link: response.headers.get('link') ?? '' })
    }
    return answers
  }

  it('can come again under the next cursor', async () => {
    const [first, second, third] = await pages('duplicate_page', [1, 2, 3])
    expect(second).toEqual(first)
    expect(third?.ids).not.toEqual(first?.ids)
  })

  it('can promise more for ever', async () => {
    const answers = await pages('endless_cursor', [1, 2, 3, 9])
    expect(answers.map(({ ids }) => ids.length)).toEqual([30, 10, 0, 0])
    for (const { link } of answers) expect(link).toContain('rel="next"')
  })
})

describe('faults', () => {
  const statuses = async (simulator: PlatformSimulator, pages: number[]): Promise<number[]> => {
    const found: number[] = []
    for (const page of pages) found.push((await fetch(searchUrl(simulator, page), { headers: agent })).status)
    return found
  }

  it('are consumed in the order in which they were set, as often as they were set', async () => {
    const simulator = await simulate()
    simulator.setFault('github', 'server_error', { times: 2 })
    simulator.setFault('github', 'unauthorized')
    expect(await statuses(simulator, [1, 1, 1, 1])).toEqual([503, 503, 401, 200])
  })

  it('wait for their page', async () => {
    const simulator = await simulate()
    simulator.setFault('github', 'server_error', { fromPage: 3, times: Number.POSITIVE_INFINITY })
    expect(await statuses(simulator, [1, 3, 2, 4])).toEqual([200, 503, 200, 503])
    simulator.clearFaults()
    expect(await statuses(simulator, [3])).toEqual([200])
  })

  it('let some requests pass first', async () => {
    const simulator = await simulate()
    simulator.setFault('github', 'server_error', { skip: 2 })
    expect(await statuses(simulator, [1, 1, 1, 1])).toEqual([200, 200, 503, 200])
  })

  it('leave the other platforms alone', async () => {
    const simulator = await simulate()
    simulator.setFault('hackernews', 'server_error')
    expect(await statuses(simulator, [1])).toEqual([200])
  })
})

it('logs what was asked and what was answered', async () => {
  const simulator = await simulate()
  await fetch(searchUrl(simulator, 2), { headers: agent })
  expect(simulator.requests).toMatchObject([
    { platform: 'github', path: '/search/issues', query: { q: 'dark mode', page: '2' }, headers: agent, status: 200 },
  ])
})

it('stops although a client is kept waiting', async () => {
  const { simulator, get } = await faulty('slow_headers')
  const waiting = expect(get()).rejects.toThrow()
  while (simulator.requests.length === 0) await new Promise((resolve) => setImmediate(resolve))
  await simulator.stop()
  await waiting
})
