import { stripVTControlCharacters } from 'node:util'
import type { Command } from 'commander'
import { describe, expect, it } from 'vitest'
import { noTerminal, runCommand, runOnTerminal } from './command-testing.ts'
import { exitCodes } from './exit-codes.ts'
import { endedJob, type FakeAnswer, requestRecord, startFakeService, testKey, usage } from './fake-service-testing.ts'
import { columnsOf } from './output.ts'
import { createProgram } from './program.ts'
import { countColumns } from './text.ts'

// Takes seconds: the help of every command is printed by a process of its own.

// On a terminal of 80 columns nothing is wider, and in a pipe nothing is cut.

if (noTerminal !== null) console.log(`The tests on a terminal are skipped: ${noTerminal}.`)

const columns = 80
const topic = 'a topic with a name that is as long as one may be, which is a hundred characters and not one more'
const topics = [
  {
    topic,
    requests: 12_345,
    votes: 1_234_567,
    maybeRequests: 0,
    lastCollectedAt: '2024-01-01T00:00:00.000Z',
    growth: { days7: 123, days30: 1_234 },
    tags: [{ tag: 'enhancement', requests: 9 }],
  },
  {
    topic: 'dark mode',
    requests: 1,
    votes: 2,
    maybeRequests: 0,
    lastCollectedAt: '2024-01-01T00:00:00.000Z',
    growth: { days7: 0, days30: 0 },
    tags: [],
  },
]
const understood = { words: ['dark', 'mode'], phrases: [], excluded: [], alternatives: [], unknown: [] }
const breakdown = { statuses: [], statusUnknown: { requests: 0, votes: 0 }, products: [], largest: null, counted: 0 }
const jobId = '0198c0de-0000-7000-8000-000000000000'
const jobs = [{ ...endedJob({ jobId, topic, depth: 40 }), createdAt: '2026-01-01T00:00:00.000Z' }]
const message =
  'The platform refused our credentials, and whoever runs this service has to renew them before it is asked again.'
const failedJob = endedJob({
  jobId,
  progress: { github: 'error', hackernews: 'done' },
  errors: [{ platform: 'github', code: 'unauthorized', message }],
})
const host = {
  host: 'a-rather-long-host-name.forum.example',
  state: 'waiting',
  resumesAt: '2026-01-01T00:00:00.000Z',
  budget: { remaining: 0, limit: 1_000 },
  quota: { remaining: 9_000, limit: 10_000, resetsAt: '' },
  failures: 2,
  lastSuccessAt: '2026-01-01T00:00:00.000Z',
  lastError: null,
}
const platforms = [
  {
    platform: 'discourse',
    state: 'ready',
    isDefault: true,
    missing: [],
    resumesAt: null,
    lastSuccessAt: null,
    advice: message,
    hosts: [host],
    yield: { isOfAlikeTopics: false, topics: 120, pages: 1_234, found: 123_456, likely: 12_345, creditsPerWish: 0.13 },
  },
]
const found = [requestRecord({ title: 't'.repeat(200), description: 'word '.repeat(60) })]
const account = {
  ...{
    tier: 'max',
    credits: { ...usage.credits, held: 120, resetsAt: '2026-02-01T00:00:00.000Z' },
    paygBalance: 1_000,
  },
  paygMonthlyCap: 1_000,
  rateLimit: { requestsPerMinute: 240 },
}

const answers: Record<string, FakeAnswer> = {
  'GET /api/v1/topics': { body: { data: { results: topics, hasMore: true, cursor: 'c'.repeat(40) } } },
  'GET /api/v1/topics/dark%20mode': {
    body: {
      data: {
        ...topics[0]!,
        platforms: ['github', 'hackernews', 'discourse', 'lemmy'].map((platform) => ({
          platform,
          requests: 9,
          votes: 9,
          votesAre: null,
        })),
        breakdown,
        timeline: [],
        wishes: [
          {
            wishId: 'wish-1',
            request: found[0],
            votes: 9,
            own: null,
            requests: 2,
            platforms: ['github', 'lemmy'],
            status: 'open',
          },
        ],
      },
    },
  },
  'GET /api/v1/scrape': { body: { data: { results: jobs, hasMore: true, cursor: 'c'.repeat(40) } } },
  [`GET /api/v1/scrape/${jobId}`]: { body: { data: failedJob } },
  [`DELETE /api/v1/scrape/${jobId}`]: { body: { data: failedJob } },
  'GET /api/admin/platforms': { body: { data: { results: platforms, hasMore: false, cursor: null } } },
  'GET /api/v1/usage': { body: { data: account } },
  'POST /api/v1/requests/search': {
    body: {
      data: { results: found, hasMore: true, limitReached: false },
      meta: { understood, maybeResults: 0 },
      usage,
    },
  },
  'POST /api/v1/scrape': {
    body: { data: { jobId, status: 'pending', topic, platforms: ['github', 'hackernews'], depth: 40 }, usage },
  },
}

const startService = () =>
  startFakeService(({ call }) => {
    const answer = answers[call.split('?')[0]!]
    return answer ?? { status: 404, body: { error: { code: 'NOT_FOUND', message: `Not found: ${call}` } } }
  })

/** Lines that are wider than the terminal, but for one word that may not be broken; bars begin each line by moving the cursor. */
const tooWide = (output: string) =>
  output
    .split(/[\n\r]|\p{Cc}\[\d*[A-G]/u)
    .map((line) => stripVTControlCharacters(line))
    .filter((line) => countColumns(line) > columns && line.trim().includes(' '))

const commands: [command: string, ...parameters: string[]][] = [
  ['topics'],
  ['topics', 'dark mode'],
  ['jobs', 'list'],
  ['jobs', 'show', jobId],
  ['jobs', 'cancel', jobId],
  ['admin', 'platforms'],
  ['usage'],
  ['search', 'dark mode'],
  ['scrape', 'dark mode', '--no-wait'],
  ['scrape', 'dark mode'],
]

describe.skipIf(noTerminal !== null)('on a terminal of 80 columns', () => {
  it.each(commands)('%s %s %s is no wider', async (...parameters) => {
    const service = await startService()
    const environment = { WISHWELL_URL: service.url, WISHWELL_API_KEY: testKey, ADMIN_API_KEY: testKey }
    const { output, exitCode } = await runOnTerminal(parameters.filter(Boolean), { columns, environment })
    expect([exitCodes.ok, exitCodes.partial]).toContain(exitCode)
    expect(stripVTControlCharacters(output).trim()).not.toBe('')
    expect(tooWide(output)).toEqual([])
  })

  it('topics are a table', async () => {
    const service = await startService()
    const environment = { WISHWELL_URL: service.url, WISHWELL_API_KEY: testKey }
    const { output } = await runOnTerminal(['topics'], { columns, environment })
    expect(output.split('\n')[0]).toMatch(/^topic +requests +votes +new in 30 days +collected$/)
    expect(output.split('\n')[1]).toMatch(/^a topic .*… +12,345 +1,234,567 +1,234 +\d years? ago$/)
  })

  it.each([
    ['colours', {}, true],
    ['no colours with NO_COLOR', { NO_COLOR: '1' }, false],
  ])('the bars have %s', async (_what, more, coloured) => {
    const service = await startService()
    const environment = { WISHWELL_URL: service.url, WISHWELL_API_KEY: testKey, ...more }
    const { output } = await runOnTerminal(['scrape', 'dark mode'], { columns, environment })
    expect(output).toContain('hackernews')
    expect(/\p{Cc}\[3[0-9]m/u.test(output)).toBe(coloured)
  })
})

describe('in a pipe', () => {
  it('nothing is cut or broken: a line is a topic, a job', async () => {
    const service = await startService()
    const listed = await runCommand(['topics'], service)
    expect(listed.stdout.split('\n')[0]).toMatch(
      new RegExp(
        `^"${topic}" {2}12,345 requests · 1,234,567 votes · 1,234 new in 30 days · collected .* ago · enhancement$`,
      ),
    )
    const { stdout } = await runCommand(['jobs', 'list'], service)
    expect(stdout.split('\n')[0]).toBe(
      `${topic}  completed · 1 Jan 2026, 00:00 UTC · 2 platforms, 40 pages each · 42 new  ${jobId}`,
    )
  })
})

describe('the help', () => {
  const allOf = (command: Command): Command[] => [command, ...command.commands.flatMap(allOf)]

  it('of every command fits into 80 columns', async () => {
    const commands = allOf(await createProgram())
    expect(commands.length).toBeGreaterThan(30)
    for (const command of commands) {
      let help = ''
      const writeOut = (text: string) => {
        help += text
      }
      command.configureOutput({ writeOut, getOutHelpWidth: () => columns }).outputHelp()
      expect(help).toMatch(/^Usage: /)
      expect(help.split('\n').filter((line) => countColumns(line) > columns)).toEqual([])
    }
  })
})

it('a terminal that says no width has the usual one', () => {
  const widthOf = (isTTY: boolean, columns: number) => columnsOf({ isTTY, columns } as NodeJS.WriteStream)
  expect([widthOf(true, 0), widthOf(true, 120), widthOf(false, 0)]).toEqual([80, 120, null])
})
