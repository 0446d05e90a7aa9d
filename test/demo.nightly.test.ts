import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { get, type IncomingMessage } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { stripVTControlCharacters } from 'node:util'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { createDemoCorpus, demoRecords, isNoise, sections } from '../simulator/demo-corpus/index.ts'
import { type PlatformSimulator, startPlatformSimulator } from '../simulator/simulator.ts'
import { choosePort } from '../src/cli/demo/environment.ts'
import { childEnvironment } from './child-environment.ts'
import { createTestClient, type TestClient } from './client.ts'
import { startTestService, type TestService } from './service.ts'

// Holds (Platforms): the demo shows four fifths of its wishes about every topic, and some possible, planned, fulfilled and declined ones

// The whole demo, as a person starts it who has settings of his own, a token of GitHub among them.

const main = fileURLToPath(new URL('../src/main.ts', import.meta.url))
const directory = mkdtempSync(join(tmpdir(), 'wishwell-of-the-demo-'))
const dataDir = join(directory, 'data')
const apiKey = `ww_live_${'d'.repeat(32)}`
describe('the demo', () => {
  let port: number
  let demo: ChildProcess
  let client: TestClient
  let printed = ''

  function start(environment: Record<string, string>): ChildProcess {
    const env = { ...childEnvironment, TMPDIR: directory, ...environment }
    const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', main, 'demo'], { env })
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (printed += chunk))
    return child
  }
  const addressOf = (pattern: RegExp) => pattern.exec(stripVTControlCharacters(printed))![0]

  /** Reads a page as browsers do, which take names below localhost for this machine. */
  async function read(address: string): Promise<string> {
    const { host, port, pathname, search } = new URL(address)
    const request = get({ port, path: pathname + search, headers: { host, accept: 'text/html' } })
    const [response] = (await once(request, 'response')) as [IncomingMessage]
    return text(response)
  }

  beforeAll(async () => {
    port = await choosePort(0)
    demo = start({ PORT: `${port}`, DATA_DIR: dataDir, BOOTSTRAP_API_KEY: apiKey, GITHUB_TOKEN: 'a-real-one' })
    await vi.waitFor(() => expect(printed).toContain('In another terminal'), { timeout: 120_000, interval: 200 })
    client = createTestClient(() => `http://127.0.0.1:${port}`, apiKey)
  })
  afterAll(() => {
    demo.kill('SIGKILL')
    rmSync(directory, { recursive: true, force: true })
  })

  it('runs where its settings say, and names those that it does not use', () => {
    expect(printed).toContain(`It runs at http://127.0.0.1:${port}.`)
    expect(printed).toContain('Not used, because the demo has its own: GITHUB_TOKEN.')
    expect(existsSync(dataDir)).toBe(true)
  })

  it('shows commands that exist', () => {
    expect(printed).toContain('$ wishwell scrape "dark mode"')
    expect(printed).not.toContain('(it ended with')
  })

  it('has a watch with news: what is new, has grown and was decided in the week before', async () => {
    const [watch] = (await client.get('/api/v1/news')).body.data.results
    for (const kind of ['newWishes', 'grown', 'completed', 'declined'])
      expect(watch.totals[kind], kind).toBeGreaterThan(0)
  })

  it('shows growth, and every status', async () => {
    const { results } = (await client.get('/api/v1/wishes?sortBy=growing&limit=5')).body.data
    expect(results[0].growth.days7).toBeGreaterThan(5)
    for (const status of ['open', 'planned', 'completed', 'declined']) {
      expect((await client.get(`/api/v1/requests?status=${status}`)).body.data.results.length, status).toBeGreaterThan(
        0,
      )
    }
  })

  it('shows the mails that it sent', async () => {
    const mailbox = addressOf(/http:\/\/mailbox\.localhost:\d+/)
    const subjects = async () => [...(await read(mailbox)).matchAll(/<b>(.+?)<\/b>/g)].map(([, subject]) => subject)
    await expect.poll(subjects).toHaveLength(4)
    expect((await subjects()).reverse()).toEqual([
      'Confirm your address',
      expect.stringMatching(/first look: \d+$/),
      'What people want: 3 new',
      expect.stringMatching(/growing, 1 completed, 1 declined$/),
    ])
  })

  it('has a page behind each of its addresses', async () => {
    const { results } = (await client.get('/api/v1/requests?limit=100')).body.data
    const byPlatform = new Map<string, { sourceUrl: string; title: string }>(
      results.map((request: { sourcePlatform: string }) => [request.sourcePlatform, request]),
    )
    expect(byPlatform.size).toBe(6)
    for (const { sourceUrl, title } of byPlatform.values()) {
      expect(new URL(sourceUrl).hostname).toMatch(/^[a-z.]+\.localhost$/)
      expect(await read(sourceUrl)).toContain(`<title>${title}</title>`)
    }
  })

  it('ends at once when it is interrupted in its first seconds', async () => {
    const other = start({})
    await vi.waitFor(() => expect(printed).toMatch(/eight days ago[\s\S]*eight days ago/), {
      timeout: 60_000,
      interval: 20,
    })
    other.kill('SIGINT')
    expect(await once(other, 'exit')).toEqual([0, null])
  })

  it('refuses a place that has other data, and keeps its own there', async () => {
    demo.kill('SIGINT')
    expect(await once(demo, 'exit')).toEqual([0, null])
    printed = ''
    const [code] = await once(start({ DATA_DIR: dataDir }), 'exit')
    expect([code, printed]).toEqual([2, expect.stringContaining(`DATA_DIR (${dataDir}) is not empty`)])
  })
})

describe('what its platforms hold, when all of it is collected', () => {
  const now = new Date()
  const records = demoRecords(now)
  /** As in the demo. */
  const depth = 3

  let simulator: PlatformSimulator
  let service: TestService

  beforeAll(async () => {
    simulator = await startPlatformSimulator({ corpus: createDemoCorpus(now), limits: 'none' })
    const settings = {
      PLATFORMS: 'github,hackernews,stackexchange,discourse,lemmy,gitlab',
      GITHUB_TOKEN: 'demo',
      GITLAB_TOKEN: 'demo',
      STACKEXCHANGE_API_KEY: 'demo',
    }
    service = await startTestService({
      environment: { ...simulator.environment, ...settings },
      platformTimeScale: 10_000,
    })
    const jobs = []
    for (const { topic } of sections) jobs.push((await service.client.scrape({ topic, depth })).body.data.jobId)
    for (const jobId of jobs)
      expect(await service.client.waitForJob(jobId, 250_000)).toMatchObject({ status: 'completed' })
  }, 300_000)
  afterAll(async () => {
    await service?.stop()
    await simulator?.stop()
  })

  /** A platform and a second: no two records have both in common. Some platforms write fractions of it too. */
  const identityOf = (platform: string, createdAt: string) => `${platform} ${createdAt.slice(0, 19)}`

  async function listed(query: string): Promise<Record<string, unknown>[]> {
    return (await service.client.get(`/api/v1/requests?limit=100&${query}`)).body.data.results
  }

  it.each(sections.map(({ topic }) => topic))(
    'shows four fifths of the wishes about %s, and no noise',
    async (topic) => {
      const results = await listed(`topic=${encodeURIComponent(topic)}`)
      const shown = new Set(
        results.map(({ sourcePlatform, originalCreatedAt }) => identityOf(`${sourcePlatform}`, `${originalCreatedAt}`)),
      )
      const isShown = ({ place, record }: (typeof records)[number]) =>
        shown.has(identityOf(place.split('/')[0]!, record.createdAt.toISOString()))
      const own = records.filter((one) => one.topic === topic)
      const wishes = own.filter(({ record }) => !isNoise(record))
      const missing = wishes.filter((one) => !isShown(one))
      expect(missing.length / wishes.length, missing.map(({ record }) => record.title).join('; ')).toBeLessThanOrEqual(
        0.2,
      )
      expect(own.filter((one) => isNoise(one.record) && isShown(one))).toEqual([])
    },
  )

  it('has requests that may be some, and wishes that were planned, fulfilled and declined', async () => {
    expect((await listed('include=all')).length).toBeGreaterThan(0)
    const maybe = (await listed('include=maybe&topic=notifications')).filter(({ likelihood }) => likelihood === 'maybe')
    expect(maybe.length).toBeGreaterThan(0)
    for (const status of ['planned', 'completed', 'declined']) {
      expect((await listed(`status=${status}`)).length, status).toBeGreaterThan(2)
    }
  })

  it('leaves out some of what the platforms return, and says why', async () => {
    const { results: jobs } = (await service.client.get('/api/v1/scrape?limit=100')).body.data
    const discarded = jobs.flatMap(({ tasks }: { tasks: { discarded: Record<string, number> }[] }) =>
      tasks.map((task) => task.discarded.offTopic ?? 0),
    )
    expect(discarded.reduce((sum: number, count: number) => sum + count, 0)).toBeGreaterThan(5)
  })
})
