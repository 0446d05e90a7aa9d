import { describe, expect, it, onTestFinished } from 'vitest'
import { openTestBudget, platformError, startServer, testClient, testClock } from '../adapters/testing.ts'
import { BodyError, readJsonBody } from './body.ts'
import { createAssembly, piecesOf } from './json-pieces.ts'
import { createJsonReader } from './json-reader.ts'

// Takes seconds: bodies of up to 10 MB are read.

const limitBytes = 10 * 1024 * 1024

/** Nested as deeply as the cap allows, in lists and in objects. */
const deepLists = `{"items":${'['.repeat(9_800_000)}`
const deepObjects = `${'{"a":'.repeat(1_500_000)}1${'}'.repeat(1_500_000)}`

const issue = (id: number) => ({
  id,
  title: `Dark mode ${id}`,
  body: 'Please ü 日本 "add" it.\n'.repeat(40),
  labels: [{ id }],
})
const numbers = (length: number) => Array.from({ length }, (_, index) => index % 10)
const names = (length: number) => Object.fromEntries(Array.from({ length }, (_, index) => [`k${index}`, 1]))
/** Several megabytes each, of what is dear to parse: large texts, small values, many names. */
const large = {
  issues: () => ({ items: Array.from({ length: 8_000 }, (_, id) => issue(id)) }),
  numbers: () => Array.from({ length: 20 }, () => numbers(90_000)),
  names: () => ({ data: [names(90_000), { more: names(90_000) }] }),
  text: () => ({ text: 'ü'.repeat(4_500_000) }),
}

function openReader(options = {}) {
  const reader = createJsonReader(options)
  onTestFinished(() => reader.close())
  return (text: string) => {
    async function* whole() {
      yield Buffer.from(text)
    }
    return readJsonBody(whole(), { 'content-type': 'application/json' }, limitBytes, reader.read)
  }
}

/** Counts the turns that the event loop takes until something has ended. */
async function countTurns(work: Promise<unknown>): Promise<number> {
  let turns = 0
  let isOver = false
  const end = () => {
    isOver = true
  }
  work.then(end, end)
  while (!isOver) {
    await new Promise((resolve) => setImmediate(resolve))
    turns += 1
  }
  return turns
}

describe('a large body', () => {
  it.each(Object.entries(large))('is read as it is, and others go on meanwhile: %s', async (name, make) => {
    const read = openReader()
    const text = JSON.stringify(make())
    const reading = read(text)
    const turns = await countTurns(reading)
    expect(JSON.stringify(await reading) === text).toBe(true)
    // In place it would be a few; in pieces at least one each. A single text is one piece.
    expect(turns).toBeGreaterThan(name === 'text' ? 10 : 40)
  })

  it('is read whole, also when several arrive at once', async () => {
    const read = openReader()
    const values = [1, 2, 3].map((part) => ({
      part,
      items: Array.from({ length: 3_000 }, (_, id) => issue(id * part)),
    }))
    expect(await Promise.all(values.map((value) => read(JSON.stringify(value))))).toEqual(values)
  })

  it('that is no JSON, is crowded, or needs too much memory is an error, and the next is read', async () => {
    const read = openReader({ memoryMb: 40 })
    const broken = `{"secret words":"${'x'.repeat(2_000_000)}`
    await expect(read(broken)).rejects.toThrow(new BodyError('a body of type application/json that is not JSON'))
    for (const crowded of [numbers(600_000), { a: [names(110_000)] }]) {
      await expect(read(JSON.stringify(crowded))).rejects.toThrow('more than 100000 members')
    }
    await expect(read(`[${'[{}],'.repeat(1_900_000)}1]`)).rejects.toThrow('takes too much memory')
    const small = { items: Array.from({ length: 1_000 }, (_, id) => issue(id)) }
    expect(await read(JSON.stringify(small))).toEqual(small)
  })
})

describe.each([
  ['lists', deepLists],
  ['objects', deepObjects],
])('a body that nests %s without end', (_, text) => {
  it('is a bad response, and other calls go on meanwhile', async () => {
    const { baseUrl } = await startServer((response, { path }) => response.end(path === '/deep' ? text : '{"ok":true}'))
    const client = testClient(testClock())
    const budget = openTestBudget({ name: 'a', windows: [{ limit: 1_000, windowMs: 60_000 }], concurrency: 50 })
    const get = (path: string) =>
      client.getJson({ platform: 'github', url: new URL(path, baseUrl), budget, signal: new AbortController().signal })
    const deep = get('/deep')
    let answered = 0
    let isOver = false
    const ended = platformError(deep, 'bad_response').finally(() => {
      isOver = true
    })
    while (!isOver) {
      await get('/other')
      answered += 1
    }
    expect((await ended).message).toContain('nested deeper than 64 levels')
    expect(answered).toBeGreaterThan(5)
  })

  it('is refused however small it is, and only brackets outside strings count', async () => {
    const read = openReader()
    await expect(read(text.slice(0, 1_000))).rejects.toThrow('nested deeper than 64 levels')
  })
})

it('brackets inside strings do not nest', async () => {
  const read = openReader()
  const value = { 'a"[\\': `"${'[{'.repeat(600_000)}\\`, [`${'['.repeat(100)}\\"`]: [[1]] }
  expect(await read(JSON.stringify(value))).toEqual(value)
  const nested = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`
  expect(await read(nested(64))).toBeInstanceOf(Array)
  await expect(read(nested(65))).rejects.toThrow('nested deeper')
  // What closes again is not deep.
  expect(await read(`[${'[],'.repeat(90_000)}1]`)).toHaveLength(90_001)
})

describe('the pieces of a value', () => {
  const values: unknown[] = [
    ...[null, true, 0, '', 'text', [], {}, [[]], [{}], { a: [] }, { a: { b: {} } }, [1, [2, [3, ['x'.repeat(50)]]], 4]],
    { a: 'x'.repeat(40), b: [1, 2, { c: 'y'.repeat(40), d: [] }, 'z'], '': { '': '' }, constructor: 1, length: [2] },
    Array.from({ length: 40 }, (_, index) => ({ index, list: Array(index).fill('v'), deep: { index: [index] } })),
  ]
  it.each([1, 8, 30, 200, 100_000])('of a weight of %i reproduce the value', (limit) => {
    for (const value of values) {
      const assembly = createAssembly()
      for (const piece of piecesOf(value, limit)) assembly.add(structuredClone(piece))
      expect(assembly.value).toEqual(value)
    }
  })

  it('never set a prototype', () => {
    const hostile = JSON.parse(`{"a":{"__proto__":{"evil":"${'x'.repeat(50)}"},"b":1},"c":"${'y'.repeat(50)}"}`)
    const assembly = createAssembly()
    for (const piece of piecesOf(hostile, 10)) assembly.add(structuredClone(piece))
    const { a } = assembly.value as { a: Record<string, unknown> }
    expect(Object.getPrototypeOf(a)).toBe(Object.prototype)
    expect([a.b, a.evil]).toEqual([1, undefined])
  })
})
