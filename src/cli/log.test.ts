import { describe, expect, it } from 'vitest'
import { chooseLogFormat, formatLogLine } from './log.ts'

const entry = (fields: object) => JSON.stringify({ level: 30, time: '2026-01-02T03:04:05.678Z', ...fields })

describe('the log for people', () => {
  it('has the time, the level, the message and the fields', () => {
    const line = entry({ msg: 'task ended', jobId: 'job-1', platform: 'github', pages: 3, state: 'done', code: null })
    expect(formatLogLine(line, false)).toBe('03:04:05 info  task ended platform=github pages=3 state=done\n')
  })

  it('names ids where something is wrong, and shows where an error came from', () => {
    const error = {
      type: 'Error',
      message: 'broken',
      stack: 'Error: broken\n    at one (a.ts:1:1)\n    at two (b.ts:2:2)',
    }
    const line = entry({ level: 50, msg: 'adapter fault', jobId: 'job-1', err: error })
    expect(formatLogLine(line, false)).toBe(
      '03:04:05 error adapter fault jobId=job-1\n    Error: broken\n    at one (a.ts:1:1)\n    at two (b.ts:2:2)\n',
    )
  })

  it('shows a call in one piece', () => {
    const call = { req: { method: 'GET', path: '/api/v1/jobs' }, res: { statusCode: 503 }, responseTime: 12.3456 }
    expect(formatLogLine(entry({ level: 40, msg: 'call failed', reqId: 'r', ...call }), false)).toBe(
      '03:04:05 warn  call failed GET /api/v1/jobs 503 12 ms reqId=r\n',
    )
  })

  it('holds nothing that a terminal would obey', () => {
    const evil = 'a\x1b]0;owned\x07b\nc'
    const line = entry({
      msg: evil,
      platform: evil,
      req: { method: 'GET', path: evil },
      err: { stack: evil, message: evil },
    })
    expect(formatLogLine(line, false).replaceAll('\n', '')).not.toMatch(/\p{Cc}|owned/u)
  })

  it('is text on a terminal and JSON elsewhere, unless LOG_FORMAT is set', () => {
    expect([chooseLogFormat('auto', true), chooseLogFormat('auto', false)]).toEqual(['text', 'json'])
    expect([chooseLogFormat('json', true), chooseLogFormat('text', false)]).toEqual(['json', 'text'])
  })
})
