import { describe, expect, it } from 'vitest'
import { openTestBudget, platformError, startServer, testClient, testClock } from '../adapters/testing.ts'
import { BodyError, readAnswerBody } from './body.ts'

// Holds (Platforms): a platform response too expensive to parse, by size, depth or members, is refused unparsed

// Takes seconds: bodies of up to 10 MB are read.

const limitBytes = 10 * 1024 * 1024

/** Nested as deeply as the cap allows, in lists and in objects. */
const deepLists = `{"items":${'['.repeat(9_800_000)}`
const deepObjects = `${'{"a":'.repeat(1_500_000)}1${'}'.repeat(1_500_000)}`

async function read(text: string) {
  async function* whole() {
    yield Buffer.from(text)
  }
  return readAnswerBody(whole(), { 'content-type': 'application/json' }, limitBytes)
}

describe('a large body', () => {
  const list = (length: number) => JSON.stringify(Array.from({ length }, (_, index) => index % 10))
  const names = (length: number) =>
    JSON.stringify(Object.fromEntries(Array.from({ length }, (_, index) => [`k${index}`, 1])))

  it('is read as it is', async () => {
    const issue = (id: number) => ({
      id,
      title: `Dark mode ${id}`,
      body: 'Please ü 日本 "add" it.\n'.repeat(40),
      labels: [{ id }],
    })
    const value = { items: Array.from({ length: 8_000 }, (_, id) => issue(id)) }
    expect(await read(JSON.stringify(value))).toEqual(value)
    expect(await read(list(100_000))).toHaveLength(100_000)
  })

  it('that is no JSON is an error, which does not quote it', async () => {
    const broken = `{"secret words":"${'x'.repeat(2_000_000)}`
    await expect(read(broken)).rejects.toThrow(new BodyError('a body of type application/json that is not JSON'))
  })

  it.each([
    ['in one list', list(100_001)],
    ['in one object', names(100_001)],
    ['in many lists', `[${Array(4).fill(list(30_000)).join()}]`],
    ['in lists without members', `[${'[{}],'.repeat(1_900_000)}1]`],
  ])('of too many members %s is refused before it is parsed', async (_, text) => {
    // Not valid at its end, so a parser would have called it no JSON.
    await expect(read(`${text}]`)).rejects.toThrow('more than 100000 members')
  })
})

describe.each([
  ['lists', deepLists],
  ['objects', deepObjects],
])('a body that nests %s without end', (_, text) => {
  it('is a bad response, and other calls are answered', async () => {
    const { baseUrl } = await startServer((response, { path }) => response.end(path === '/deep' ? text : '{"ok":true}'))
    const client = testClient(testClock())
    const budget = openTestBudget({ name: 'a', windows: [{ limit: 1_000, windowMs: 60_000 }], concurrency: 50 })
    const get = (path: string) =>
      client.getJson({ platform: 'github', url: new URL(path, baseUrl), budget, signal: new AbortController().signal })
    const [deep, other] = await Promise.all([platformError(get('/deep'), 'bad_response'), get('/other')])
    expect(deep.message).toContain('nested deeper than 64 levels')
    expect(other.body).toEqual({ ok: true })
  })

  it('is refused however small it is, and only brackets outside strings count', async () => {
    await expect(read(text.slice(0, 1_000))).rejects.toThrow('nested deeper than 64 levels')
  })
})

it('brackets inside strings do not nest', async () => {
  const value = { 'a"[\\': `"${'[{'.repeat(600_000)}\\`, [`${'['.repeat(100)}\\"`]: [[1]] }
  expect(await read(JSON.stringify(value))).toEqual(value)
  const nested = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`
  expect(await read(nested(64))).toBeInstanceOf(Array)
  await expect(read(nested(65))).rejects.toThrow('nested deeper')
  // What closes again is not deep.
  expect(await read(`[${'[],'.repeat(40_000)}1]`)).toHaveLength(40_001)
})
