import { describe, expect, it } from 'vitest'
import { exitCodes } from './exit-codes.ts'
import { endedJob, usage } from './fake-service-testing.ts'
import { exitCodeOf, formatOutcome, formatStarted, formatSummary, pollCommand } from './jobs.ts'

const unauthorized = { platform: 'github' as const, code: 'unauthorized' as const, message: 'Check\x1b[2J its token.' }
const partial = endedJob({ progress: { github: 'error', hackernews: 'done' }, errors: [unauthorized] })

describe('the summary of a job', () => {
  it('shows the requests, the platforms and the credits', () => {
    expect(formatSummary(endedJob({ requestsCreated: 1 }), usage)).toEqual([
      'Completed in 4.2 s: 1 new request in the cache.',
      '  github      done',
      '  hackernews  done',
      'Credits: 9 of 15,000 used this month, 14,991 remaining.',
      "Search it with: wishwell search 'dark mode'",
    ])
  })

  it('shows what was left out and why, and how many more may be requests', () => {
    const result = { pages: 1, requestsFound: 50, requestsCreated: 42, maybeCreated: 8 }
    const tasks = [
      {
        platform: 'github' as const,
        ...result,
        discarded: { noText: 3, offTopic: 1_009, beyondLimit: 142 },
        undated: 2,
      },
    ]
    expect(formatOutcome(endedJob({ maybeCreated: 8, tasks }))).toEqual([
      'Completed in 4.2 s: 42 new requests in the cache, and 8 that may be requests.',
      '  github      done     1,154 left out: 1,009 not about the topic, 3 without text, 142 beyond what is read at once; 2 without a date',
      '  hackernews  done',
    ])
  })

  it('shows why a platform failed, without control characters', () => {
    expect(formatSummary(partial, usage).slice(0, 3)).toEqual([
      'Completed in 4.2 s, but not on every platform: 42 new requests in the cache.',
      '  github      error    unauthorized: Check its token.',
      '  hackernews  done',
    ])
  })

  it('shows the sources that the job was started with', () => {
    const data = { jobId: 'job-1', status: 'pending' as const, topic: 'dark mode', platforms: ['github'], depth: 2 }
    const lines = formatStarted({ data: { ...data, sources: { github: ['ada/engine', 'ada/notes'] } }, usage })
    expect(lines.slice(1, 4)).toEqual(['Sources:', '  github:ada/engine', '  github:ada/notes'])
  })

  it('names the sources that were not reached, and what reaches them', () => {
    const job = endedJob({ sourcesNotReached: { github: ['ada/engine', 'ada/\x1b[2Jnotes'] } })
    expect(formatOutcome(job).slice(-2)).toEqual([
      'Not reached on github: ada/engine, ada/notes.',
      'A greater depth reaches more sources.',
    ])
  })

  it('shows why and until when a platform waits', () => {
    const waiting = [
      {
        platform: 'github' as const,
        code: 'rate_limited' as const,
        message: 'No more.',
        until: '2026-01-01T10:20:30.000Z',
      },
      { platform: 'hackernews' as const, code: 'unavailable' as const, message: 'Down.', until: null },
    ]
    const job = endedJob({ status: 'running', progress: { github: 'running', hackernews: 'running' }, waiting })
    expect(formatOutcome(job).slice(1)).toEqual([
      '  github      running  waits until 1 Jan 2026, 10:20 UTC, rate_limited: No more.',
      '  hackernews  running  unavailable: Down.',
    ])
  })

  it('describes a failed job, also one that never began', () => {
    expect(formatSummary(endedJob({ status: 'failed', requestsCreated: 0, startedAt: null }), usage)[0]).toBe(
      'The job failed: 0 new requests in the cache.',
    )
  })

  it('says in one sentence why a job failed', () => {
    const error = 'Every platform failed: github and hackernews refused the service (blocked).'
    const job = endedJob({ status: 'failed', error, progress: { github: 'error' }, errors: [unauthorized] })
    expect(formatSummary(job, usage).slice(0, 3)).toEqual([
      'The job failed after 4.2 s: 42 new requests in the cache.',
      error,
      '  github  error    unauthorized: Check its token.',
    ])
  })

  it('shows the maximum cost of a job when it starts', () => {
    const data = {
      jobId: 'job-1',
      status: 'pending' as const,
      topic: 'dark mode',
      platforms: ['github', 'x'],
      depth: 3,
    }
    expect(formatStarted({ data, usage })).toEqual([
      'Collecting "dark mode" from github, x, up to 3 pages each (at most 6 credits).',
      'Job job-1',
    ])
  })

  it('quotes shell characters in a command to paste', () => {
    expect(pollCommand('a $(x)')).toBe("wishwell jobs show 'a $(x)'")
  })
})

describe('the exit code of a job', () => {
  it.each([
    [exitCodes.ok, endedJob()],
    [exitCodes.partial, partial],
    [exitCodes.partial, endedJob({ progress: { github: 'skipped', hackernews: 'done' } })],
    [exitCodes.partial, endedJob({ progress: { github: 'skipped', hackernews: 'skipped' } })],
    [exitCodes.failed, endedJob({ status: 'failed', progress: { github: 'error', hackernews: 'error' } })],
  ])('is %i', (exitCode, job) => {
    expect(exitCodeOf(job)).toBe(exitCode)
  })
})
