import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { numberedPages, platformMap, scriptedPlatform } from '../../test/scripted-platform.ts'
import { startTestService, type TestService } from '../../test/service.ts'
import { runCommand } from './command-testing.ts'
import { exitCodes } from './exit-codes.ts'

// Takes seconds: each command is a process.

describe('wishwell watches, with a service', { timeout: 120_000 }, () => {
  let service: TestService
  beforeAll(async () => {
    const pages = numberedPages(1, 2)
    const failed = { 'b/b': { code: 'bad_response', message: 'github (b/b) is gone.' } }
    const github = scriptedPlatform('github', (call, request) =>
      request.topic === 'half of it'
        ? { requests: [], nextCursor: { turn: 0, next: {}, ended: ['b/b'], failed } }
        : pages(call, request),
    )
    service = await startTestService({ platforms: platformMap(github) })
  })
  afterAll(() => service.stop())

  const run = (...parameters: string[]) => runCommand(['watches', ...parameters], service)
  const terms = ['--platforms', 'github', '--schedule', '30 8 * * *', '--credits', '5', '--timezone', 'Europe/Berlin']

  it('adds, lists, runs, pauses, resumes and removes a watch', async () => {
    const added = await run('create', 'dark mode', ...terms, '--goal', 'for mobile', '--json')
    expect([added.exitCode, added.stderr]).toEqual([exitCodes.ok, ''])
    const { watchId, ...watch } = JSON.parse(added.stdout).data
    expect(watch).toMatchObject({ name: 'dark mode', monthlyCredits: 5, goal: 'for mobile', timezone: 'Europe/Berlin' })
    const listed = (await run('list')).stdout
    expect(listed).toMatch(
      new RegExp(
        `^dark mode  "dark mode" · 30 8 \\* \\* \\* · 0 of 5 credits this month · next run .* UTC  ${watchId}\n$`,
      ),
    )
    const shown = (await run('show', watchId)).stdout
    expect(shown).toContain('  goal       for mobile\n             The goal changes nothing: this service has no model')
    expect(shown).toContain('  schedule   30 8 * * * (Europe/Berlin)')
    expect(shown).toContain('In 31 days: 31 runs, at most 5 credits; the budget pays for 5 runs in any case')
    const { jobId } = JSON.parse((await run('run', watchId, '--json')).stdout).data
    await service.client.waitForJob(jobId)
    expect((await run('runs', watchId)).stdout).toMatch(
      new RegExp(`^.* UTC  by hand · completed · 2 new requests, 1 credit  job ${jobId}\n$`),
    )
    expect((await run('pause', watchId)).stdout).toBe(`Paused. It goes on with: wishwell watches resume ${watchId}\n`)
    expect((await run('list')).stdout).toContain(` · paused  ${watchId}\n`)
    expect((await run('resume', watchId)).stdout).toContain('  state      next run ')
    expect((await run('delete', watchId)).stdout).toBe(`Deleted: ${watchId}\n`)
    expect((await run('list')).stdout).toBe('No watches.\n')
    const gone = await run('show', watchId)
    expect([gone.exitCode, gone.stdout, gone.stderr]).toEqual([
      exitCodes.failed,
      '',
      expect.stringContaining('Watch not found.'),
    ])
  })

  it('adds a watch by its topic alone, and changes it', async () => {
    const added = JSON.parse(
      (await run('create', 'dark mode', '--status', 'open', '--min-votes', '3', '--json')).stdout,
    ).data
    const filters = { status: ['open'], minVotes: 3 }
    expect(added).toMatchObject({ name: 'dark mode', schedule: 'daily', timezone: 'UTC', depth: 1, filters })
    const change = async (...options: string[]) =>
      JSON.parse((await run('update', added.watchId, ...options, '--json')).stdout).data
    const { nextRunAt: _, preview: __, ...before } = added
    const budget = await change('--credits', '90', '--goal', 'for mobile', '--reports-quiet', '--mute', 'grown,new')
    expect(budget).toMatchObject({
      ...before,
      ...{
        monthlyCredits: 90,
        goal: 'for mobile',
        goalIsCompared: false,
        reportsQuiet: true,
        mutedNews: ['grown', 'new'],
      },
    })
    const timed = await change(
      '--schedule',
      '0 9 * * *',
      '--timezone',
      'Asia/Tokyo',
      '--depth',
      '2',
      '--tag',
      'ui',
      '--name',
      'n',
    )
    expect(timed).toMatchObject({
      schedule: '0 9 * * *',
      timezone: 'Asia/Tokyo',
      depth: 2,
      filters: { tags: ['ui'] },
      name: 'n',
    })
    expect(await change('--no-goal', '--no-filters', '--no-channels', '--no-reports-quiet', '--no-mute')).toMatchObject(
      {
        ...{
          goal: null,
          filters: {},
          channelIds: [],
          reportsQuiet: false,
          mutedNews: [],
          depth: 2,
          monthlyCredits: 90,
          name: 'n',
        },
      },
    )
    expect((await run('update', added.watchId)).exitCode).toBe(exitCodes.usage)
    expect((await run('update', added.watchId, '--platforms', 'nowhere')).exitCode).toBe(exitCodes.usage)
    await run('delete', added.watchId)
  })

  it('says which sources of a run failed, and why', async () => {
    const { watchId } = JSON.parse((await run('create', 'half of it', ...terms, '--json')).stdout).data
    const { jobId } = JSON.parse((await run('run', watchId, '--json')).stdout).data
    await service.client.waitForJob(jobId)
    const problem = { platform: 'github', code: 'bad_response', message: 'github (b/b) is gone.' }
    const [ended] = JSON.parse((await run('runs', watchId, '--json')).stdout).data.results
    expect(ended).toMatchObject({ status: 'completed', problems: [problem] })
    expect((await run('runs', watchId)).stdout).toMatch(
      / · completed · 0 new requests, 1 credit {2}job .*\n {2}github: github \(b\/b\) is gone\.\n$/,
    )
    expect((await run('news', '--watch', watchId)).stdout).toContain(
      '\n Its last run was told: github: github (b/b) is gone.\n',
    )
    await run('delete', watchId)
  })

  it('previews, and says what is wrong', async () => {
    const { stdout } = await run('preview', 'dark mode', ...terms, '--depth', '2')
    expect(stdout.split('\n')).toHaveLength(8)
    expect(stdout).toContain('at most 2 credits\n')
    const refused = await run('create', 'dark mode', ...terms, '--depth', '9')
    expect([refused.exitCode, refused.stdout]).toEqual([exitCodes.usage, ''])
    expect(refused.stderr).toContain('--credits: must be at least 9')
    expect((await run('create')).exitCode).toBe(exitCodes.usage)
    const often = await run('preview', 'dark mode', '--schedule', 'fortnightly')
    expect(often.stderr).toMatch(/^wishwell: --schedule: must be hourly, .*, not "fortnightly"\.\n$/)
  })
})
