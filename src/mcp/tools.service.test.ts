import { fileURLToPath } from 'node:url'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { InMemoryTransport } from '@modelcontextprotocol/server'
import fc from 'fast-check'
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createClient, type WishwellClient } from '../../client/client.ts'
import { campaignSize } from '../../test/campaign-size.ts'
import { childEnvironment } from '../../test/child-environment.ts'
import { foundRequest, platformMap, scriptedPlatform } from '../../test/scripted-platform.ts'
import { startTestService, type TestService } from '../../test/service.ts'
import { runCommand } from '../cli/command-testing.ts'
import { exitCodes } from '../cli/exit-codes.ts'
import { answerOfJob, type Job } from './job.ts'
import { callTool, connect, eras, httpTransport, sendMcp, tokensOf } from './mcp-testing.ts'
import { createMcpServer } from './server.ts'

// Holds (MCP): a read-only key sees and calls no tool that spends or changes anything
// Holds (MCP): no id leads to another path, and no answer reveals what happened inside
// Holds (MCP): spending without maxCredits or above it is refused beforehand, and happens once per idempotencyKey

const topics = ['dark mode', 'Vim keys', 'offline maps']
let service: TestService
beforeAll(async () => {
  const page = {
    requests: topics.map((title, index) =>
      foundRequest(`${index}`, {
        title: `Please add ${title}`,
        description: `I would like ${title} in the editor.`,
        votes: 3 - index,
      }),
    ),
    nextCursor: null,
  }
  service = await startTestService({ platforms: platformMap(scriptedPlatform('github', () => page)) })
})
afterAll(() => service.stop())
beforeEach(() => service.reset())

const open = (apiKey = service.apiKey) => connect(httpTransport(service.url, apiKey))
const usedCredits = async () => (await service.client.get('/api/v1/usage')).body.data.credits.used
const github = { topic: 'themes', platforms: ['github'] }

/** Collects by the tool, as an agent does. */
async function collectAll(client: Awaited<ReturnType<typeof open>>) {
  const { structured } = await callTool(client, 'collect', { ...github, maxCredits: 1 })
  const { jobId } = structured
  const poll = async () => (await callTool(client, 'collect', { jobId })).structured
  await expect.poll(poll, { timeout: 10_000 }).toMatchObject({ jobId, status: 'completed', requestsCreated: 3 })
  await service.placeRequests()
}

const all = ['search', 'wish', 'brief', 'overview', 'collect', 'watch', 'news', 'correct']

describe('the tools', () => {
  it.each(eras)('are offered by HTTP, in fewer than 4,000 tokens (%s)', async (era) => {
    const client = await connect(httpTransport(service.url, service.apiKey), era)
    const { tools } = await client.listTools()
    expect(tools.map(({ name }) => name)).toEqual(all)
    expect(tokensOf([tools, client.getInstructions()])).toBeLessThan(4_000)
    expect((await callTool(client, 'overview')).structured).toMatchObject({ creditsLeft: 15_000, scope: 'manage' })
  })

  it.each(eras)('are offered by the command, on standard input and output (%s)', async (era) => {
    const transport = new StdioClientTransport({
      command: process.execPath,
      args: ['--disable-warning=ExperimentalWarning', fileURLToPath(new URL('../main.ts', import.meta.url)), 'mcp'],
      env: { ...childEnvironment, WISHWELL_URL: service.url, WISHWELL_API_KEY: service.apiKey } as Record<
        string,
        string
      >,
    })
    const client = await connect(transport, era)
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(all)
    await collectAll(client)
    expect((await callTool(client, 'search')).structured.results).toHaveLength(3)
  })

  it('are offered also at an address that ends with a slash', async () => {
    const client = await connect(httpTransport(service.url, service.apiKey, '/mcp/'))
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(all)
  })

  it('answer by the command all that was asked before its input ended, which may have no last line break', async () => {
    const ask = (id: number, method: string, params: object) => JSON.stringify({ jsonrpc: '2.0', id, method, params })
    const clientInfo = { name: 'a pipe', version: '1' }
    const input = [
      ask(1, 'initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo }),
      JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' }),
      ask(2, 'tools/list', {}),
      ask(3, 'tools/call', { name: 'overview', arguments: {} }),
      ask(4, 'tools/call', { name: 'search', arguments: { query: 'dark mode' } }),
    ].join('\n')
    const ended = await runCommand(['mcp'], service, input)
    expect([ended.exitCode, ended.stderr]).toEqual([0, ''])
    const answers = ended.stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(answers.map(({ id, result }) => [id, result !== undefined]).toSorted()).toEqual(
      [1, 2, 3, 4].map((id) => [id, true]),
    )
    expect(await runCommand(['mcp'], service, '')).toEqual({ exitCode: 0, stdout: '', stderr: '' })
  })

  it('say in one sentence that there is no service, or that it refuses the key', async () => {
    const gone = await runCommand(['mcp'], { url: 'http://127.0.0.1:1' })
    expect(gone).toMatchObject({ exitCode: exitCodes.unreachable, stdout: '' })
    expect(gone.stderr).toMatch(/^wishwell: .*127\.0\.0\.1:1.* cannot be reached.*\n$/)
    const refused = await runCommand(['mcp'], { url: service.url, apiKey: `ww_live_${'0'.repeat(32)}` })
    expect(refused).toMatchObject({
      exitCode: exitCodes.failed,
      stderr: expect.stringMatching(/^wishwell: A valid API key/),
    })
  })

  it('of a key that reads are those that cost nothing', async () => {
    const { body } = await service.client.post('/api/v1/keys', { name: 'reader', scope: 'read' })
    const client = await open(body.data.apiKey)
    const { tools } = await client.listTools()
    expect(tools.map(({ name }) => name)).toEqual(['search', 'wish', 'overview', 'news'])
    expect(tools.every(({ annotations }) => annotations?.readOnlyHint)).toBe(true)
    await expect(callTool(client, 'collect', { ...github, maxCredits: 1 })).rejects.toThrow(/collect/)
    await expect(callTool(client, 'correct', { what: 'is_no_request', requestId: 'x' })).rejects.toThrow(/correct/)
    expect(await usedCredits()).toBe(0)
  })
})

describe('what spends', () => {
  it.each([
    ['collect', github, 'maxCredits: is required'],
    ['collect', { ...github, depth: 2, maxCredits: 1 }, 'maxCredits'],
    ['collect', { ...github, jobId: 'x', maxCredits: 1 }, 'either topic or jobId'],
    ['watch', { ...github, action: 'create' }, 'maxCredits: is required'],
    ['watch', { ...github, action: 'create', schedule: 'never', maxCredits: 9 }, 'schedule'],
    [
      'watch',
      { ...github, action: 'create', maxCredits: 1, schedule: 'hourly', platforms: ['github', 'hackernews'] },
      'maxCredits: must be at least 2',
    ],
    ['correct', { what: 'does_not_belong', wishId: 'x' }, 'requestIds: is required for does_not_belong'],
  ])('%s with %j is refused', async (name, given, message) => {
    const { isError, text } = await callTool(await open(), name, given)
    expect({ isError, text }).toEqual({ isError: true, text: expect.stringMatching(/^INVALID_REQUEST: /) })
    expect(text).toContain(message)
    expect(await usedCredits()).toBe(0)
    expect((await service.client.get('/api/v1/watches')).body.data.results).toEqual([])
  })

  it('is spent once for each idempotencyKey', async () => {
    const client = await open()
    const given = { ...github, maxCredits: 1, idempotencyKey: 'once, für den Test' }
    const first = await callTool(client, 'collect', given)
    expect((await callTool(client, 'collect', given)).structured.jobId).toBe(first.structured.jobId)
    expect(await usedCredits()).toBe(1)
  })

  it('is watched within its credits, paused and resumed', async () => {
    const client = await open()
    const made = await callTool(client, 'watch', { ...github, action: 'create', maxCredits: 9, idempotencyKey: 'w' })
    const [{ watchId }] = made.structured.results
    expect(made.structured.results).toMatchObject([{ state: 'active', maxCredits: 9, creditsThisMonth: 0 }])
    await callTool(client, 'watch', { action: 'pause', watchId })
    const list = async () => (await callTool(client, 'watch', { action: 'list' })).structured.results
    expect(await list()).toMatchObject([{ watchId, state: 'paused' }])
    await callTool(client, 'watch', { action: 'resume', watchId })
    await callTool(client, 'watch', { action: 'mute', watchId, mutedNews: ['grown'] })
    expect(await list()).toMatchObject([{ watchId, state: 'active', askingBecause: null, mutedNews: ['grown'] }])
  })
})

describe('what is stored', () => {
  it('is found, read and corrected', async () => {
    const client = await open()
    await collectAll(client)
    await sql`with reviewed as (update requests set stars = 2)
      update request_facets set status = case when votes = 3 then 'completed' else 'open' end`.execute(service.database)
    const found = await callTool(client, 'search', { query: 'dark mode', limit: 5 })
    expect(found.structured).toMatchObject({
      matchingRequests: 1,
      results: [{ votes: 3, stars: 2, requests: 1 }],
      cursor: null,
    })
    expect(found.text).toContain('3 votes, 2 of 5 stars, 1 request,')
    expect(found.structured.untrusted.results[0]).toMatchObject({ title: 'Please add dark mode' })
    const [{ wishId }] = found.structured.results
    const [{ wishId: otherWishId }] = (await callTool(client, 'search', { query: 'vim keys' })).structured.results
    expect((await callTool(client, 'correct', { what: 'same', wishId, otherWishId })).isError).toBe(false)
    const { structured, text } = await callTool(client, 'wish', { wishId })
    expect(structured).toMatchObject({ wishId, votes: 5, requests: 2, status: 'open' })
    expect(text).toContain('Please add Vim keys')
    expect(text).toContain('Of its 2 requests 1 is completed.')
    expect(text).toMatch(/Vim keys \(requestId \S+, 2 votes, 2 of 5 stars, github, \d\d? \w+ \d{4}\)/)
    const [{ requestId }] = structured.results
    await callTool(client, 'correct', { what: 'is_no_request', requestId })
    expect((await callTool(client, 'wish', { requestId })).structured).toMatchObject({ likelihood: 'unlikely' })
  })

  it('is told as a brief: its wishes in order with literal quotes, read again from the cursor on', async () => {
    const client = await open()
    await collectAll(client)
    const made = await callTool(client, 'brief', { topic: 'themes', question: 'What first?', idempotencyKey: 'b' })
    expect(made.isError, made.text).toBe(false)
    const { briefId, results, untrusted } = made.structured
    expect(results).toMatchObject([
      { number: 1, votes: 3, voices: 1, requests: 1, quotes: [{ votes: 3, platform: 'github' }] },
      { number: 2, votes: 2 },
      { number: 3, votes: 1 },
    ])
    expect(untrusted).toMatchObject({ about: 'themes', question: 'What first?' })
    const { document } = (await service.client.get(`/api/v1/briefs/${briefId}`)).body.data
    const literal = document.wishes.map((one: { quotes: { text: string }[] }) => one.quotes.map(({ text }) => text))
    expect(untrusted.results.map((one: { quotes: { text: string }[] }) => one.quotes.map(({ text }) => text))).toEqual(
      literal,
    )
    expect((await callTool(client, 'brief', { briefId })).structured.snapshot).toBe(made.structured.snapshot)
    expect(
      (await callTool(client, 'brief', { topic: 'themes', question: 'What first?', idempotencyKey: 'b' })).structured
        .briefId,
    ).toBe(briefId)
    for (const given of [{}, { topic: 'themes', briefId }, { topic: 'themes', cursor: 'x' }, { briefId, cursor: 'x' }])
      expect((await callTool(client, 'brief', given)).text).toMatch(/^INVALID_REQUEST: /)
  })

  it('is listed page by page, each wish once', async () => {
    const client = await open()
    await collectAll(client)
    const seen: string[] = []
    for (const query of [{}, { query: 'please' }]) {
      for (let cursor: string | null | undefined; cursor !== null; ) {
        const page = await callTool(client, 'search', { ...query, limit: 1, ...(cursor ? { cursor } : {}) })
        seen.push(...page.structured.results.map(({ wishId }: { wishId: string }) => wishId))
        cursor = page.structured.cursor
      }
    }
    expect([seen.length, new Set(seen).size]).toEqual([6, 3])
    const { cursor } = (await callTool(client, 'search', { limit: 1 })).structured
    for (const [tool, given] of [
      ['search', { cursor: 'nonsense' }],
      ['search', { cursor }],
      ['search', { cursor, limit: 2 }],
      ['overview', { cursor }],
    ] as const)
      expect((await callTool(client, tool, given)).text).toMatch(/^INVALID_REQUEST: cursor/)
  })

  it('is news also behind watches that have none', async () => {
    const client = await open()
    const ids: string[] = []
    for (const topic of ['one', 'two', 'three'].map((word) => `${word} theme`)) {
      const made = await callTool(client, 'watch', { action: 'create', topic, platforms: ['github'], maxCredits: 40 })
      ids.push(made.structured.results[0].watchId)
    }
    // News are listed in the order of the ids of watches.
    const watchId = ids.toSorted().at(-1)
    const run = await service.client.post(`/api/v1/watches/${watchId}/run`, {})
    await service.client.waitForJob(run.body.data.jobId)
    await service.placeRequests()
    await service.reportNews()
    const { structured } = await callTool(client, 'news')
    expect(structured.results).toHaveLength(3)
    expect(structured.totals).toMatchObject([{ watchId, newWishes: 3 }])
  })

  it('of another account does not exist', async () => {
    const other = await service.createAccount()
    const { structured } = await callTool(await open(other.apiKey), 'collect', { ...github, maxCredits: 1 })
    const { isError, text } = await callTool(await open(), 'collect', { jobId: structured.jobId })
    expect([isError, text]).toEqual([true, expect.stringMatching(/^NOT_FOUND: /)])
  })

  it.each([
    ['wish', 'requestId', {}],
    ['wish', 'wishId', {}],
    ['brief', 'briefId', {}],
    ['collect', 'jobId', {}],
    ['news', 'watchId', {}],
    ['watch', 'watchId', { action: 'pause' }],
    ['correct', 'requestId', { what: 'is_no_request' }],
  ])('of %s do not exist where %s is a path, or the name of another call', async (name, field, more) => {
    const client = await open()
    const ids = ['export', 'facets', 'search', '..', '.', '', '../keys', '%2e%2e', 'a/b', `${crypto.randomUUID()}/..`]
    for (const id of ids) {
      const { isError, text } = await callTool(client, name, { ...more, [field]: id })
      expect([id, isError, text]).toEqual([
        id,
        true,
        expect.stringMatching(/^(?:NOT_FOUND|INVALID_REQUEST): [^{}/<]+\.$/),
      ])
    }
  })
})

/** What a caller may write where a tool wants a text: ids, pieces of paths and queries, and what breaks parsers. */
const pieces = [
  ...[
    'export',
    'facets',
    'search',
    'similar',
    'keys',
    'events',
    '..',
    '.',
    '../..',
    '../export',
    '/api/v1/requests/export',
  ],
  ...[
    '%2e%2e',
    '%2E%2E%2f',
    '..%2fexport',
    '..;/export',
    '..\\export',
    'export?format=csv',
    'export#',
    '?',
    '#',
    '',
    ' ',
    '\0',
  ],
  ...[
    '{wishId}',
    'https://example.org/',
    '//example.org',
    'null',
    '[object Object]',
    '__proto__',
    "' or 1=1 --",
    '\ud800',
  ],
  ...[
    '\u202e',
    '\u200b',
    'ｅxport',
    '.\u200b.',
    '2026-01-31',
    '0000-99-99',
    '* * * * *',
    'x'.repeat(5_000),
    '🧑🏽‍🚀',
    '-1',
    'NaN',
  ],
]
/** The calls of the API that tools make. */
const uuid = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}'
const paths = new RegExp(
  `^/api/v1/(?:usage|topics|news|wishes(?:/${uuid})?|requests/search|requests/${uuid}|briefs(?:/${uuid})?|scrape(?:/${uuid})?|watches(?:/${uuid})?|corrections/(?:requests|wishes))$`,
  'i',
)

type Schema = { type?: string; enum?: unknown[]; anyOf?: Schema[]; items?: Schema; properties?: Record<string, Schema> }

function given(schema: Schema, ids: readonly string[]): fc.Arbitrary<unknown> {
  const { enum: values, anyOf, type, items, properties } = schema
  if (values) return fc.oneof({ arbitrary: fc.constantFrom(...values), weight: 9 }, fc.constantFrom(...pieces))
  if (anyOf) return fc.oneof(...anyOf.map((one) => given(one, ids)))
  if (type === 'integer') return fc.oneof(fc.integer({ min: 1, max: 40 }), fc.integer())
  if (type === 'boolean') return fc.boolean()
  if (type === 'array') return fc.array(given(items ?? {}, ids), { minLength: 1, maxLength: 3 })
  if (properties === undefined) {
    const id = fc.oneof({ arbitrary: fc.constantFrom(...ids), weight: 3 }, fc.uuid())
    const piece = fc.constantFrom(...pieces)
    const joined = fc.tuple(fc.oneof(id, piece), fc.constantFrom('/', '/../', '?', '%2f', '\n', ''), piece)
    return fc.oneof(
      id,
      piece,
      joined.map((parts) => parts.join('')),
      fc.string({ unit: 'binary' }),
    )
  }
  const required = Object.keys(properties).filter((name) => name === 'action' || name === 'what')
  // Of many random arguments one is always wrong.
  const fields = Object.keys(properties)
  return fc.subarray(fields, { maxLength: Math.min(3, fields.length) }).chain((names) => {
    const chosen = new Set([...required, ...names])
    return fc.record(Object.fromEntries([...chosen].map((name) => [name, given(properties[name]!, ids)])))
  })
}

it('no random id or path of any tool leads to another call, or is answered with what happened inside', async () => {
  const first = await open()
  await collectAll(first)
  const { results } = (await callTool(first, 'search')).structured
  const { requestId } = (await callTool(first, 'wish', { wishId: results[0].wishId })).structured.results[0]
  const made = await callTool(first, 'watch', { action: 'create', ...github, maxCredits: 1 })
  const { briefId } = (await callTool(first, 'brief', { topic: github.topic })).structured
  const ids = [results[0].wishId, results[1].wishId, requestId, briefId, made.structured.results[0].watchId] as string[]

  const [called, errors]: [Set<string>, unknown[]] = [new Set(), []]
  const client = createClient({
    url: service.url,
    apiKey: service.apiKey,
    maxRetries: 0,
    fetch: (request, init) => {
      called.add(new URL((request as Request).url).pathname)
      return fetch(request, init)
    },
  })
  const [ours, theirs] = InMemoryTransport.createLinkedPair()
  const onError = (error: unknown) => errors.push(error)
  await createMcpServer({ client, scope: 'manage', onError }, 'legacy').connect(theirs)
  const agent = await connect(ours, 'legacy')
  const { tools } = await agent.listTools()
  const calls = fc.oneof(
    ...tools.map(({ name, inputSchema }) => given(inputSchema as Schema, ids).map((input) => ({ name, input }))),
  )
  const seed = Number(process.env.TEST_SEED ?? Math.trunc(Math.random() * 2 ** 31))
  const numRuns = campaignSize('MCP_CALLS', { quick: 300, nightly: 2_000 })
  console.log(`calls of tools: ${numRuns}, seed ${seed}`)
  const told: Record<string, number> = {}
  await fc.assert(
    fc.asyncProperty(calls, async ({ name, input }) => {
      const { isError, text } = await callTool(agent, name, input as Record<string, unknown>)
      const code = isError ? text.split(':')[0]! : 'answered'
      told[code] = (told[code] ?? 0) + 1
      if (isError)
        expect(text).toMatch(/^(?:NOT_FOUND|INVALID_REQUEST|CONFLICT|RATE_LIMITED \(\w+\)|Input validation error): /)
      expect(text).not.toMatch(
        /is not valid JSON|in JSON at|Cannot read|is not a function|\bat \w+ \(|node:|relation "|syntax error/,
      )
      expect([errors, [...called].filter((path) => !paths.test(path))]).toEqual([[], []])
    }),
    { seed, numRuns },
  )
  console.log(told)
}, 600_000)

it('a tool that fails says nothing of why, and the log does', async () => {
  const errors: unknown[] = []
  const broken = new TypeError("Cannot read properties of undefined (reading 'secret')")
  const failing = { POST: () => Promise.reject(broken) } as unknown as WishwellClient
  const caller = { client: failing, scope: 'read', onError: (error: unknown) => errors.push(error) } as const
  const [ours, theirs] = InMemoryTransport.createLinkedPair()
  await createMcpServer(caller, 'legacy').connect(theirs)
  const { isError, text } = await callTool(await connect(ours, 'legacy'), 'search', { query: 'dark mode' })
  expect([isError, text, errors]).toEqual([true, 'INTERNAL_ERROR: Something went wrong on our side.', [broken]])
})

it('a job says whole what its failed sources answered, and one of a thing as one', async () => {
  const message = Array.from({ length: 10 }, (_, at) => `https://blog${at}.example/feed.xml answered with status 404.`)
  const job = {
    ...{ jobId: 'j', topic: 'themes', status: 'completed', platforms: ['rss'], progress: { rss: 'done' }, tasks: [] },
    ...{ requestsCreated: 1, maybeCreated: 1, credits: { held: 0, settled: 1 }, completedAt: null },
    errors: [{ platform: 'rss', code: 'bad_response', message: message.join(' ') }],
  }
  const { summary, foreign } = answerOfJob(job as unknown as Job)
  expect(summary).toMatch(/: 1 new request, 1 text that may be one, 1 credit\./)
  expect(foreign?.messages).toEqual([message.join(' ')])
  const many = { ...job, errors: Array.from({ length: 30 }, () => ({ ...job.errors[0], message: 'w '.repeat(5_000) })) }
  expect(tokensOf(answerOfJob(many as unknown as Job))).toBeLessThan(4_000)
})

describe('/mcp', () => {
  const list = { jsonrpc: '2.0', id: 1, method: 'tools/list' }
  const send = (method: string, more: Record<string, string> = {}, message: object = list) => {
    const headers = { authorization: `Bearer ${service.apiKey}`, ...more }
    return sendMcp(service.url, method === 'POST' ? message : null, headers, method)
  }

  it.each([
    ['POST', { authorization: '' }, 401],
    ['POST', { authorization: 'Bearer ww_live_wrong' }, 401],
    ['POST', { origin: 'https://evil.example' }, 403],
    ['POST', { origin: 'null' }, 403],
    ['GET', {}, 405],
    ['DELETE', {}, 405],
    ['HEAD', {}, 405],
  ])('%s with %j is refused', async (method, more, status) => {
    expect((await send(method, more)).status).toBe(status)
  })

  it('takes no session of the page, which a browser sends by itself', async () => {
    const session = await service.clientFor(null).post('/api/session', { apiKey: service.apiKey })
    const [cookie = ''] = session.headers.get('set-cookie')!.split(';')
    const { csrfToken } = session.body.data
    const headers = { authorization: '', cookie, 'x-csrf-token': csrfToken }
    expect((await fetch(`${service.url}/api/v1/usage`, { headers })).status).toBe(200)
    expect((await send('POST', headers)).status).toBe(401)
  })

  it('takes one call at a time', async () => {
    expect((await send('POST', {}, [list, { ...list, id: 2 }])).status).toBe(400)
  })

  it('answers a call of its own origin', async () => {
    expect((await send('POST', { origin: service.url })).status).toBe(200)
  })
})
