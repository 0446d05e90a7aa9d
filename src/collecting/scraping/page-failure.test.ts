import { describe, expect, it } from 'vitest'
import { HostBusyError, PlannedWaitError, PlatformError } from '../../platforms/platform.ts'
import { decideAfterFailure, type FailureDecision, type PageFailure } from './page-failure.ts'

const now = new Date('2026-03-01T12:00:00Z')
/** Seconds from now. */
const at = (seconds: number) => new Date(now.getTime() + seconds * 1_000)
const minutes = 60

const task: PageFailure['task'] = {
  pages: 0,
  tries: 0,
  pageDueSince: now,
  busySince: null,
  expiresAt: at(60 * minutes),
  isLive: false,
}

type Facts = Omit<Partial<PageFailure>, 'task'> & { task?: Partial<PageFailure['task']> }

const decide = (error: unknown, facts: Facts = {}): FailureDecision =>
  decideAfterFailure({
    abortedBy: null,
    isStopping: false,
    unreachableMs: 45_000,
    now,
    ...facts,
    error,
    task: { ...task, ...facts.task },
  })

/** What a decision comes to, in one line of a table. */
function summary(decision: FailureDecision): string {
  if (decision.action === 'retry') {
    const { until, tries } = decision.retry
    return `try ${tries} at ${(until.getTime() - now.getTime()) / 1_000} s`
  }
  if (decision.action === 'end task') return `${decision.end.state} ${decision.end.error?.code}`
  return decision.action
}

const failed = (seconds: number) => new PlatformError('bad_response', 'It failed.', { retryAt: at(seconds) })
const refused = (code: PlatformError['code']) => new PlatformError(code, 'It refused.')
const unreachable = (seconds: number) =>
  new PlatformError('unavailable', 'No connection.', { retryAt: at(seconds), isUnreachable: true })
const limited = (seconds: number) => new PlannedWaitError('rate_limited', 'Its limit is used up.', at(seconds))
const paused = (seconds: number) => new PlannedWaitError('unavailable', 'It keeps failing.', at(seconds), true)
const busy = new HostBusyError('It is at capacity.', at(3))

type Row = [what: string, expected: string, error: unknown, facts?: Facts]

describe('a task whose fetch was aborted', () => {
  const aborted = new DOMException('aborted', 'AbortError')
  it.each<Row>([
    ['because its job was cancelled writes nothing', 'abandon', aborted, { abortedBy: 'end of task' }],
    ['because its job is out of time ends the whole job', 'end job', aborted, { abortedBy: 'time limit' }],
    ['because the service stops is left for the next worker', 'requeue', aborted, { abortedBy: 'shutdown' }],
    [
      'ends the whole job then, whatever the platform answered',
      'end job',
      refused('blocked'),
      { abortedBy: 'time limit' },
    ],
    [
      'by a cancellation at shutdown writes nothing',
      'abandon',
      failed(5),
      { abortedBy: 'end of task', isStopping: true },
    ],
  ])('%s', (_what, expected, error, facts) => {
    expect(summary(decide(error, facts))).toBe(expected)
  })
})

describe('a task whose page failed', () => {
  it.each<Row>([
    ['tries again when the platform can answer, and counts the try', 'try 1 at 20 s', failed(20)],
    ['tries a fifth time', 'try 4 at 20 s', failed(20), { task: { tries: 3 } }],
    ['ends in error after the fifth failure', 'error bad_response', failed(20), { task: { tries: 4 } }],
    ['ends in error when another try makes no sense', 'error blocked', refused('blocked')],
    [
      'ends in error when its platform has no quota after some pages',
      'error quota_exhausted',
      refused('quota_exhausted'),
      { task: { pages: 1 } },
    ],
    [
      'is skipped when its platform has no quota for the first page',
      'skipped quota_exhausted',
      refused('quota_exhausted'),
    ],
    ['is skipped when its platform is not configured', 'skipped not_configured', refused('not_configured')],
    ['waits until half an hour after its last page', 'try 1 at 1800 s', failed(30 * minutes)],
    ['waits no longer than that', 'error bad_response', failed(30 * minutes + 1)],
    [
      'ends when the next try is after the end of the job',
      'error timeout',
      failed(20),
      { task: { expiresAt: at(20) } },
    ],
    ['is left for the next worker when the service stops', 'requeue', failed(20), { isStopping: true }],
    ['ends in error when its adapter is at fault', 'error bad_response', new TypeError('x is undefined')],
    [
      'ends when its adapter is at fault, also at shutdown',
      'error bad_response',
      new TypeError('x'),
      { isStopping: true },
    ],
  ])('%s', (_what, expected, error, facts) => {
    expect(summary(decide(error, facts))).toBe(expected)
  })

  it('reports why it waits, or why it ended', () => {
    expect(decide(failed(20))).toEqual({
      action: 'retry',
      retry: { until: at(20), tries: 1, reason: { code: 'bad_response', message: 'It failed.' } },
    })
    expect(decide(refused('blocked'))).toEqual({
      action: 'end task',
      end: { state: 'error', error: { code: 'blocked', message: 'It refused.' } },
      isAdapterFault: false,
    })
  })

  it('never shows the message of a fault in an adapter, which is for the log', () => {
    const decision = decide(new TypeError('token abc'))
    expect(decision).toMatchObject({ action: 'end task', isAdapterFault: true })
    expect(JSON.stringify(decision)).not.toContain('abc')
  })
})

describe('a task whose platform announced a wait', () => {
  it.each<Row>([
    ['waits without counting a try', 'try 4 at 20 s', limited(20), { task: { tries: 4 } }],
    [
      'waits for a limit however long no other task progresses',
      'try 0 at 600 s',
      limited(600),
      { othersProgress: false },
    ],
    ['ends in error when the wait is over half an hour', 'error rate_limited', limited(31 * minutes)],
    [
      'ends when the wait goes beyond the end of the job',
      'error timeout',
      limited(20),
      { task: { expiresAt: at(10) } },
    ],
  ])('%s', (_what, expected, error, facts) => {
    expect(summary(decide(error, facts))).toBe(expected)
  })
})

describe('a task whose platform cannot be reached', () => {
  it.each<Row>([
    ['tries again after 5 s', 'try 1 at 5 s', unreachable(600)],
    ['doubles the delay each time', 'try 3 at 20 s', unreachable(600), { task: { tries: 2 } }],
    ['tries sooner when the platform can answer sooner', 'try 1 at 2 s', unreachable(2)],
    [
      'depends on the other tasks once a try could end after 45 s',
      'check other tasks',
      unreachable(600),
      { task: { pageDueSince: at(-26) } },
    ],
    ['tries again until then', 'try 1 at 5 s', unreachable(600), { task: { pageDueSince: at(-25) } }],
    [
      'tries on while another task progresses',
      'try 1 at 5 s',
      unreachable(600),
      { task: { pageDueSince: at(-26) }, othersProgress: true },
    ],
    [
      'ends when no other task progresses',
      'error unavailable',
      unreachable(600),
      { task: { pageDueSince: at(-26) }, othersProgress: false },
    ],
    [
      'ends after the fifth failure although others progress',
      'error unavailable',
      unreachable(600),
      { task: { tries: 4 }, othersProgress: true },
    ],
    [
      'waits for its pause in full while another task progresses',
      'try 0 at 60 s',
      paused(60),
      { othersProgress: true },
    ],
    ['does not wait for a long pause alone', 'error unavailable', paused(60), { othersProgress: false }],
    ['waits for a short pause', 'try 0 at 30 s', paused(30)],
    [
      'waits as announced after its first page',
      'try 1 at 600 s',
      unreachable(600),
      { task: { pages: 1 }, othersProgress: false },
    ],
  ])('%s', (_what, expected, error, facts) => {
    expect(summary(decide(error, facts))).toBe(expected)
  })
})

describe('a task whose host is at capacity', () => {
  const live = { isLive: true }
  it.each<Row>([
    ['of a job waits in the queue', 'try 0 at 3 s', busy],
    ['of a live call holds its slot', 'hold slot', busy, { task: live }],
    [
      'of a live call holds its slot for less than 2 s',
      'hold slot',
      busy,
      { task: { ...live, busySince: at(-1.999) } },
    ],
    ['of a live call waits in the queue after that', 'try 0 at 3 s', busy, { task: { ...live, busySince: at(-2) } }],
    ['of a live call is left for the next worker at shutdown', 'requeue', busy, { task: live, isStopping: true }],
  ])('%s', (_what, expected, error, facts) => {
    expect(summary(decide(error, facts))).toBe(expected)
  })

  it('of a live call has been so since the first such answer', () => {
    const busySince = at(-1)
    expect(decide(busy, { task: live })).toEqual({ action: 'hold slot', busySince: now })
    expect(decide(busy, { task: { ...live, busySince } })).toEqual({ action: 'hold slot', busySince })
  })
})
