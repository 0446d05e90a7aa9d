import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { LiveEventStream } from './expanded-search.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] }))
afterEach(() => void vi.useRealTimers())

const textOf = (stream: LiveEventStream) => String(stream.read() ?? '')

it('a stream has a heartbeat from its first reader to its end', () => {
  const stream = new LiveEventStream()
  stream.topics(['dark mode'])
  expect(vi.getTimerCount()).toBe(0)
  expect(textOf(stream)).toBe('event: topics\ndata: {"topics":["dark mode"]}\n\n')
  vi.advanceTimersByTime(20_000)
  expect(textOf(stream)).toBe(':\n\n:\n\n')
  stream.end('result', '{}')
  expect(vi.getTimerCount()).toBe(0)
  expect(textOf(stream)).toBe('event: result\ndata: {}\n\n')
})

it.each(['ended', 'destroyed'])('a stream that is %s without a reader leaves no timer behind', (how) => {
  const stream = new LiveEventStream()
  if (how === 'ended') stream.end('error', '{}')
  else stream.destroy()
  stream.read()
  expect(vi.getTimerCount()).toBe(0)
})
