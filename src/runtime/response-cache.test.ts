import { expect, it } from 'vitest'
import { createResponseCache } from './response-cache.ts'

function setUp(maxSize = 1_000) {
  const state = { version: 1 as number | null, reads: 0 }
  const keep = createResponseCache({ version: () => state.version, maxSize })
  const read = (key: string, value: unknown = key) =>
    keep(key, async () => {
      state.reads++
      return value
    })
  return { state, keep, read }
}

it('a value is read once while nothing changes, and again after any change', async () => {
  const { state, read } = setUp()
  expect([await read('a'), await read('a'), await read('b'), await read('a')]).toEqual(['a', 'a', 'b', 'a'])
  expect(state.reads).toBe(2)
  state.version = 2
  expect(await read('a', 'new')).toBe('new')
  expect(await read('a', 'newer')).toBe('new')
  expect(state.reads).toBe(3)
})

it('a value that changed during its read is not cached, nor returned to later calls', async () => {
  const { state, keep, read } = setUp()
  const gate = Promise.withResolvers<string>()
  const slow = keep('a', () => gate.promise)
  state.version = 2
  const after = read('a', 'new')
  gate.resolve('old')
  expect(await slow).toBe('old')
  expect(await after).toBe('new')
  expect(await read('a', 'newer')).toBe('new')
})

it('a call during a read gets its value when nothing changes', async () => {
  const { state, keep, read } = setUp()
  const gate = Promise.withResolvers<string>()
  const first = keep('a', () => gate.promise)
  const second = read('a', 'read again')
  gate.resolve('once')
  expect([await first, await second]).toEqual(['once', 'once'])
  expect(state.reads).toBe(0)
})

it('nothing is cached when changes are not reported in time', async () => {
  const { state, read } = setUp()
  state.version = null
  await read('a')
  await read('a')
  expect(state.reads).toBe(2)
})

it('a failed read is not cached', async () => {
  const { keep, read } = setUp()
  await expect(keep('a', () => Promise.reject(new Error('away')))).rejects.toThrow('away')
  expect(await read('a')).toBe('a')
})

it('the least recently used value is evicted, and a too large one is not cached', async () => {
  const { state, read } = setUp(1_000)
  const value = 'x'.repeat(90)
  for (let number = 0; number < 10; number++) await read(`key${number}`, value)
  await read('key0', value)
  expect(state.reads).toBe(10)
  await read('another', value)
  await read('key0', value)
  expect(state.reads).toBe(11)
  await read('key1', value)
  expect(state.reads).toBe(12)
  await read('large', 'x'.repeat(200))
  await read('large', 'x'.repeat(200))
  expect(state.reads).toBe(14)
  await read('key1', value)
  expect(state.reads).toBe(14)
})
