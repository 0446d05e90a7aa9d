import { describe, expect, it } from 'vitest'
import { runCommand, startCommand } from './command-testing.ts'
import { exitCodes } from './exit-codes.ts'
import {
  endedJob,
  failure,
  requestRecord,
  startFakeService,
  startJobService,
  testKey,
  usage,
} from './fake-service-testing.ts'

// Takes seconds: a command pauses before it tries again, as for a user.

const running = endedJob({
  status: 'running',
  completedAt: null,
  progress: { github: 'running', hackernews: 'pending' },
})

describe('wishwell scrape', () => {
  it('shows one line for each change on stderr, and the summary on stdout', async () => {
    const service = await startJobService([running, running, endedJob()])
    const { exitCode, stdout, stderr } = await runCommand(['scrape', 'dark mode'], service)
    expect(exitCode).toBe(exitCodes.ok)
    expect(stderr.split('\n')).toEqual([
      'Collecting "dark mode" from github, hackernews, up to 1 page each (at most 2 credits).',
      'Job 5f0c1f9e-0000-4000-8000-000000000001',
      'github: running',
      'github: done',
      'hackernews: done',
      '',
    ])
    expect(stdout).toMatch(/^Completed in 4\.2 s: 42 new requests in the cache\.\n/)
    expect(stdout).toContain('Credits: 9 of 15,000 used this month, 14,991 remaining.\n')
  })

  it('sends the given options and nothing else', async () => {
    const service = await startJobService([endedJob()])
    await runCommand(['scrape', ' dark mode', '--platforms', 'github, x', '--depth', '3', '--json'], service)
    expect(service.received[0]).toEqual({
      call: 'POST /api/v1/scrape',
      authorization: `Bearer ${testKey}`,
      idempotencyKey: expect.stringMatching(/^[0-9a-f-]{36}$/),
      body: '{"topic":" dark mode","platforms":["github","x"],"depth":3}',
    })
  })

  it('sends the sources by platform', async () => {
    const service = await startJobService([endedJob()])
    const sources = ['--source', 'github:ada/engine', '--source', 'discourse:https://forum.example/c/ideas/5']
    await runCommand(['scrape', 'dark mode', ...sources, '--source', 'github:ada/notes'], service)
    expect(JSON.parse(service.received[0]!.body)).toEqual({
      topic: 'dark mode',
      sources: { github: ['ada/engine', 'ada/notes'], discourse: ['https://forum.example/c/ideas/5'] },
    })
  })

  it('prints one JSON object and nothing else on stdout with --json, and ends with 4 when a platform failed', async () => {
    const job = endedJob({
      progress: { github: 'error', hackernews: 'done' },
      errors: [{ platform: 'github', code: 'blocked', message: 'It refuses \x9b31m this address.' }],
    })
    const { exitCode, stdout } = await runCommand(
      ['scrape', 'dark mode', '--json'],
      await startJobService([running, job]),
    )
    expect(exitCode).toBe(exitCodes.partial)
    expect(stdout).not.toMatch(/[^\P{Cc}\n]/u)
    expect(stdout.trimEnd()).not.toContain('\n')
    expect(JSON.parse(stdout)).toEqual({ data: job, usage })
  })

  it('ends with 1 when the job failed', async () => {
    const failed = endedJob({ status: 'failed', progress: { github: 'error', hackernews: 'error' } })
    const { exitCode, stdout } = await runCommand(['scrape', 'dark mode'], await startJobService([failed]))
    expect(exitCode).toBe(exitCodes.failed)
    expect(stdout).toContain('The job failed after 4.2 s')
  })

  it('repeats the start with the same Idempotency-Key when its answer was lost', async () => {
    const keys: (string | undefined)[] = []
    const service = await startFakeService(({ call, idempotencyKey, body }) => {
      if (call !== 'POST /api/v1/scrape') return failure(404, 'NOT_FOUND', 'There is no such path.')
      keys.push(idempotencyKey)
      if (keys.length === 1) return 'hang up'
      if (keys.length === 2) return { status: 502, body: '<html>' }
      const { topic } = JSON.parse(body)
      return {
        body: {
          data: {
            jobId: '5f0c1f9e-0000-4000-8000-000000000001',
            status: 'pending',
            topic,
            platforms: ['github'],
            depth: 1,
          },
          usage,
        },
      }
    })
    const { exitCode, stdout } = await runCommand(['scrape', 'dark mode', '--no-wait', '--json'], service)
    expect(exitCode).toBe(exitCodes.ok)
    expect(JSON.parse(stdout).data.jobId).toBe('5f0c1f9e-0000-4000-8000-000000000001')
    expect([keys.length, new Set(keys).size]).toEqual([3, 1])
  })

  it('continues when polls fail', async () => {
    const faults = [failure(503, 'UNAVAILABLE', 'Starting.'), 'hang up' as const, { status: 502, body: '<html>' }]
    const { exitCode, stderr } = await runCommand(
      ['scrape', 'dark mode'],
      await startJobService([...faults, endedJob()]),
    )
    expect(exitCode).toBe(exitCodes.ok)
    expect(stderr).toContain('Starting. Trying again for a minute …\n')
  })

  it('prints the job and ends at once with --no-wait', async () => {
    const service = await startJobService(['never'])
    const { exitCode, stdout } = await runCommand(['scrape', 'dark mode', '--no-wait'], service)
    expect(exitCode).toBe(exitCodes.ok)
    expect(stdout).toContain('  wishwell jobs show 5f0c1f9e-0000-4000-8000-000000000001\n')
    const json = await runCommand(['scrape', 'dark mode', '--no-wait', '--json'], service)
    expect(JSON.parse(json.stdout)).toMatchObject({
      data: { jobId: '5f0c1f9e-0000-4000-8000-000000000001', status: 'pending' },
      usage,
    })
    expect(service.received.map(({ call }) => call)).toEqual(['POST /api/v1/scrape', 'POST /api/v1/scrape'])
  })

  it.skipIf(process.platform === 'win32')('says on Ctrl-C that the job goes on, and ends with 130', async () => {
    const service = await startJobService([running])
    const command = startCommand(['scrape', 'dark mode'], { WISHWELL_URL: service.url, WISHWELL_API_KEY: testKey })
    await command.seen('github: running')
    command.kill('SIGINT')
    command.kill('SIGINT')
    const { exitCode, stdout, stderr } = await command.finished
    expect(exitCode).toBe(130)
    expect(stdout).toBe('')
    expect(stderr).toContain('Interrupted. The job continues in the service; poll it with:\n')
    expect(stderr).toContain('wishwell jobs show 5f0c1f9e-0000-4000-8000-000000000001\n')
  })

  it('refuses a wrong --depth without asking the service', async () => {
    const service = await startJobService([endedJob()])
    const { exitCode, stderr } = await runCommand(['scrape', 'dark mode', '--depth', '41'], service)
    expect(exitCode).toBe(exitCodes.usage)
    expect(stderr).toContain('whole number from 1 to 40')
    expect(service.received).toEqual([])
  })
})

const understood = { words: ['dark', 'mode'], phrases: [], excluded: [], alternatives: [], unknown: [] }

describe('wishwell search', () => {
  it('prints results as text, without control characters', async () => {
    const results = [requestRecord({ title: '\x1b[31mDark\x1b[0m mode\x07' })]
    const service = await startFakeService(() => ({
      body: { data: { results, hasMore: true, limitReached: false }, meta: { understood, maybeResults: 0 }, usage },
    }))
    const { exitCode, stdout } = await runCommand(['search', 'dark', 'mode', '--limit', '1', '--offset', '2'], service)
    expect(exitCode).toBe(exitCodes.ok)
    expect(service.received[0]?.body).toBe('{"query":"dark mode","limit":1,"offset":2,"total":true}')
    expect(stdout).toMatch(
      /^ {2}3\. Dark mode\n {5}12 votes · github · .* ago · https:\/\/github\.com\/acme\/app\/issues\/1\n/,
    )
    expect(stdout).toContain("wishwell search --limit 1 --offset 3 'dark mode'\n")
  })

  it('sends filters, order and beginning, and repeats them for the next page', async () => {
    const body = {
      data: { results: [requestRecord()], hasMore: true, limitReached: false },
      meta: { understood, maybeResults: 0, window: 1000 },
      usage,
    }
    const service = await startFakeService(() => ({ body }))
    const options = [
      '--platforms',
      'github,x',
      '--tag',
      'a b',
      '--tag',
      'c',
      '--min-votes',
      '3',
      '--since',
      '2026-01-01',
    ]
    const { stdout } = await runCommand(['search', 'dark mo', ...options, '--sort', 'votes', '--prefix'], service)
    expect(JSON.parse(service.received[0]?.body ?? '')).toEqual({
      query: 'dark mo',
      filters: { platforms: ['github', 'x'], tags: ['a b', 'c'], minVotes: 3, since: '2026-01-01' },
      sortBy: 'votes',
      prefix: true,
      total: true,
    })
    expect(stdout).toContain('Among the best 1000 matches')
    expect(stdout).toContain(
      "wishwell search --platforms='github,x' --min-votes=3 --since=2026-01-01 --sort=votes --tag='a b' --tag=c --prefix --offset 1 'dark mo'\n",
    )
  })

  it('prints the answer itself with --json', async () => {
    const body = {
      data: { results: [requestRecord({ title: '\x1b[31m\x9b\u202e' })], hasMore: false, limitReached: false },
      meta: { understood, maybeResults: 0 },
      usage,
    }
    const { stdout } = await runCommand(['search', 'dark', '--json'], await startFakeService(() => ({ body })))
    expect(stdout).not.toMatch(/[^\P{Cc}\n]|\u202e/u)
    expect(JSON.parse(stdout)).toEqual(body)
  })
})

describe('a command that fails', () => {
  it.each([
    ['a refused key', exitCodes.failed, failure(401, 'UNAUTHORIZED', 'A valid API key is required.'), /valid API key/],
    ['spent credits', exitCodes.limited, failure(429, 'RATE_LIMITED', 'Credit limit exceeded (9/9).'), /Credit limit/],
    ['another server', exitCodes.failed, { body: '<html>' }, /not Wishwell's JSON/],
    ['a lost connection', exitCodes.unreachable, 'hang up' as const, /cannot be reached/],
  ])('tells of %s on stderr alone, and never tells the key', async (_what, exitCode, answer, message) => {
    const finished = await runCommand(['scrape', 'dark mode', '--json'], await startFakeService(() => answer))
    expect(finished).toMatchObject({ exitCode, stdout: '' })
    expect(finished.stderr).toMatch(message)
    expect(finished.stderr).not.toContain(testKey)
  })

  it('says where to get an API key when there is none', async () => {
    const { exitCode, stderr } = await startCommand(['search', 'dark']).finished
    expect(exitCode).toBe(exitCodes.usage)
    expect(stderr).toMatch(/There is no API key.*"wishwell serve"/s)
  })
})

describe('the help', () => {
  it.each([
    ['scrape', ['<topic>', '--platforms', '--depth', '--json', '--no-wait', 'WISHWELL_URL', 'WISHWELL_API_KEY', '130']],
    [
      'search',
      [
        '<query...>',
        '--limit',
        '--offset',
        '--tag',
        '--sort',
        '--prefix',
        '--json',
        'WISHWELL_URL',
        'WISHWELL_API_KEY',
        'Exit codes',
      ],
    ],
  ])('of %s names every option and variable', async (command, words) => {
    const { exitCode, stdout } = await startCommand([command, '--help']).finished
    expect(exitCode).toBe(exitCodes.ok)
    for (const word of words) expect(stdout).toContain(word)
  })
})

describe('wishwell jobs show', () => {
  it('says the cost and who started the job, by a name that cannot change the terminal', async () => {
    const startedBy = { keyId: null, keyName: '\u001b[31mred\u202e', personName: null, watchId: null, watchName: null }
    const service = await startJobService([endedJob({ credits: { held: 0, settled: 2 }, startedBy })])
    const { stdout } = await runCommand(['jobs', 'show', '00000000-0000-4000-8000-000000000000'], service)
    expect(stdout).toMatch(/^2 credits by red$/m)
  })
})
