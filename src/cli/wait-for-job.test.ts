import { describe, expect, it } from 'vitest'
import { ApiError } from './answers.ts'
import type { Api } from './api.ts'
import type { Job } from './api-types.ts'
import { exitCodes } from './exit-codes.ts'
import { endedJob } from './fake-service-testing.ts'
import { waitForJob } from './follow-job.ts'

const away = new ApiError('Nothing listens.', exitCodes.unreachable, { temporary: true })

/** Polls a job whose answers are given, in a time that passes only by waiting. */
function watch(answers: (Job | Error)[], signal = new AbortController().signal) {
  const pauses: number[] = []
  const seen: string[] = []
  const troubles: string[] = []
  let now = 0
  const timing = {
    now: () => now,
    sleep: async (milliseconds: number) => {
      pauses.push(milliseconds)
      now += milliseconds
      signal.throwIfAborted()
    },
  }
  const GET = async () => {
    const answer = answers.length > 1 ? answers.shift()! : answers[0]!
    if (answer instanceof Error) throw answer
    return { data: { data: answer } }
  }
  const watcher = {
    signal,
    onJob: (job: Job) => void seen.push(job.status),
    onTrouble: (message: string) => void troubles.push(message),
  }
  const job = waitForJob({ GET } as unknown as Api, 'job-1', watcher, timing)
  return { job, pauses, seen, troubles, elapsedMs: () => now }
}

const running = endedJob({ status: 'running', completedAt: null })

describe('waiting for a job', () => {
  it('polls every 300 ms at first and every second in the end, until the job has ended', async () => {
    const watched = watch([...Array.from({ length: 8 }, () => running), endedJob()])
    expect((await watched.job).status).toBe('completed')
    expect(watched.pauses[0]).toBe(300)
    expect(watched.pauses.at(-1)).toBe(1_000)
    expect(watched.pauses).toEqual([...watched.pauses].sort((a, b) => a - b))
    expect(watched.seen.at(-1)).toBe('completed')
  })

  it('ends with a failed job too', async () => {
    expect((await watch([running, endedJob({ status: 'failed' })]).job).status).toBe('failed')
  })

  it('continues through a restart of the service, and reports it once', async () => {
    const busy = new ApiError('Starting.', exitCodes.failed, { temporary: true })
    const watched = watch([running, ...Array.from({ length: 30 }, () => away), busy, running, endedJob()])
    expect((await watched.job).status).toBe('completed')
    expect(watched.troubles).toEqual(['Nothing listens.'])
  })

  it('gives up when the service was away for a minute, with the exit code of the last failure', async () => {
    const watched = watch([running, away])
    await expect(watched.job).rejects.toMatchObject({
      message: expect.stringMatching(/^Nothing listens\.\nGave up after 6\d s\.$/),
      exitCode: exitCodes.unreachable,
    })
    expect(watched.elapsedMs()).toBeGreaterThanOrEqual(60_000)
  })

  it('waits for the Retry-After of a refusal, but never longer than a minute', async () => {
    const limited = (retryAfterMs: number) =>
      new ApiError('Slow.', exitCodes.limited, { temporary: true, retryAfterMs })
    const watched = watch([limited(7_000), limited(3_600_000), endedJob()])
    await watched.job
    expect(watched.pauses).toEqual([300, 7_000, 60_000])
  })

  it('does not ask again when the service refuses for good', async () => {
    const gone = new ApiError('Scrape job not found.', exitCodes.failed)
    const watched = watch([gone])
    await expect(watched.job).rejects.toBe(gone)
    expect(watched.pauses).toHaveLength(1)
  })

  it('ends at once when it is interrupted', async () => {
    const interruption = new AbortController()
    const watched = watch([running], interruption.signal)
    interruption.abort(new Error('Ctrl-C'))
    await expect(watched.job).rejects.toThrow('Ctrl-C')
  })
})
