import { describe, expect, it } from 'vitest'
import type { TaskState } from '../../database/column-types.ts'
import { EventStream } from './followers.ts'
import { followedJob, nextEvent, type Position, parsePosition, positionBefore } from './job-events.ts'
import type { TaskRow } from './task-row.ts'

// Holds (Jobs): an event stream misses no change of state and repeats none

const moment = new Date('2026-01-01T00:00:00.000Z')
const task = (platform: TaskRow['platform'], state: TaskState, fields: Partial<TaskRow> = {}): TaskRow => ({
  id: platform,
  job_id: 'job',
  platform,
  position: 0,
  state,
  fencing_token: 1,
  cursor: null,
  pages: 0,
  requests_found: 0,
  requests_created: 0,
  maybe_created: 0,
  discarded: {},
  sources: null,
  tries: 0,
  takeovers: 0,
  page_due_since: null,
  waiting_until: null,
  queue_message_id: null,
  error_code: null,
  error_message: null,
  revision: state === 'pending' ? 0 : 1,
  started_at: state === 'pending' ? null : moment,
  completed_at: state === 'pending' || state === 'running' ? null : moment,
  ...fields,
})
const terms = {
  topic: 'dark mode',
  depth: 1,
  expires_at: new Date('2026-01-02T00:00:00.000Z'),
  reservation_state: null,
  pool_part: null,
  payg_part: null,
  settled: null,
  key_id: null,
  key_name: null,
  watch_id: null,
  person_name: null,
  watch_name: null,
}
const jobOf = (...tasks: TaskRow[]) => followedJob('job', terms, tasks)

/** All events that a reader at this position gets, as `id event platform state pages`. */
function readFrom(job: ReturnType<typeof jobOf>, from: Position) {
  const sent: string[] = []
  let position = from
  for (let next = nextEvent(job, position); next; next = nextEvent(job, position)) {
    position = next.position
    const [id, event, data] = next.text.split('\n').map((line) => line.replace(/^\w+: /, ''))
    const { platform = 'job', state, status, pages = '' } = JSON.parse(data ?? '')
    sent.push(`${id} ${event} ${platform} ${state ?? status} ${pages}`.trimEnd())
  }
  return { sent, position }
}

describe('the events of a job', () => {
  it('are each platform at first, then the platforms that changed, then the end', () => {
    const begin = jobOf(task('github', 'pending'), task('hackernews', 'running'))
    const first = readFrom(begin, positionBefore(begin))
    expect(first.sent).toEqual(['0.- platform github pending 0', '0.1 platform hackernews running 0'])
    expect(readFrom(begin, first.position).sent).toEqual([])
    const page = jobOf(task('github', 'running'), task('hackernews', 'running', { pages: 1, revision: 2 }))
    const second = readFrom(page, first.position)
    expect(second.sent).toEqual(['1.1 platform github running 0', '1.2 platform hackernews running 1'])
    const end = jobOf(task('github', 'done', { pages: 1, revision: 2 }), task('hackernews', 'done', { revision: 3 }))
    const last = readFrom(end, second.position)
    expect(last.sent).toEqual([
      '2.2 platform github done 1',
      '2.3 platform hackernews done 0',
      '2.3.end end job completed',
    ])
    expect(readFrom(end, last.position).sent).toEqual([])
  })

  it('are neither lost nor repeated for a reader that reconnects', () => {
    const begin = jobOf(task('github', 'pending'))
    const { position } = readFrom(begin, positionBefore(begin))
    const end = jobOf(task('github', 'done', { pages: 7, revision: 8 }))
    const { sent } = readFrom(end, position)
    expect(sent).toEqual(['1 platform github running 0', '8 platform github done 7', '8.end end job completed'])
    // After whichever event it reconnects, it gets the events after that one.
    for (const [index, line] of sent.entries()) {
      const after = parsePosition(line.split(' ')[0] ?? '', end)
      expect(after && readFrom(end, after).sent).toEqual(sent.slice(index + 1))
    }
  })

  it('never report that a platform ran which was cancelled before it began', () => {
    const begin = jobOf(task('github', 'pending'))
    const end = jobOf(task('github', 'skipped', { error_code: 'cancelled', started_at: null }))
    const { sent } = readFrom(end, readFrom(begin, positionBefore(begin)).position)
    expect(sent).toEqual(['1 platform github skipped 0', '1.end end job failed'])
  })

  it('are the present state for a reader whose position is of a database that was restored since', () => {
    const job = jobOf(task('github', 'running'))
    expect(readFrom(job, { seen: [7], ended: false }).sent).toEqual(['1 platform github running 0'])
  })

  it.each(['', 'x', '1.2', '1.', '-1', '1.end.end', '9'.repeat(400), '1\n2'])('have no id like %j', (text) => {
    expect(parsePosition(text, jobOf(task('github', 'running')))).toBeNull()
  })
})

describe('the stream of a reader that does not read', () => {
  it('buffers only the newest state, however many changes there are', async () => {
    const stream = new EventStream({ seen: [null], ended: false })
    for (let revision = 1; revision <= 100_000; revision++) {
      stream.update(jobOf(task('github', 'running', { pages: revision, revision })))
    }
    expect(stream.readableLength).toBeLessThan(8 * 1024)
    stream.update(jobOf(task('github', 'done', { pages: 100_001, revision: 100_001 })))
    let text = ''
    for await (const chunk of stream) text += chunk
    expect(text.length).toBeLessThan(16 * 1024)
    expect(text).toContain('"state":"done","pages":100001')
    expect(text.match(/event: end/g)).toHaveLength(1)
  })
})
