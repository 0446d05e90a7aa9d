import fc from 'fast-check'
import { expect, it } from 'vitest'
import { createJsonCounter, JsonTextError, parseJson, readJson, wholeBytes } from './json.ts'

// Holds (Platforms): foreign JSON is counted before parsing, across chunks, and parsed in pieces when large

const space = Buffer.alloc(wholeBytes + 1, ' ')
/** As a large text, which is parsed in pieces. */
const readLarge = (text: string) => readJson(Buffer.concat([space, Buffer.from(text)]))

it('a large text is read as JSON.parse reads it', async () => {
  const texts = fc.sample(fc.json(), { numRuns: 1_000, seed: 7 })
  expect(await readLarge(`[${texts.join(',')}]`)).toEqual(texts.map((text) => JSON.parse(text)))
  expect(await readLarge('-1.5e3')).toBe(-1500)
})

it.each(['', '[1,]', '{"a":1,}', '{"a" 1}', '01', '1 2', '"\\x"', '"a\u0001"', '[1', 'nul', '[1]]'])(
  'a large text that ends in %j is refused',
  async (text) => {
    await expect(readLarge(text)).rejects.toThrow(new JsonTextError('not JSON'))
  },
)

it('a large text begins with a byte order mark, ends early, or has names of prototypes', async () => {
  expect(await readJson(Buffer.from(`\ufeff{"a":"${'é'.repeat(wholeBytes)}"}`))).toMatchObject({ a: /^é/ })
  await expect(readLarge('{"a":[1')).rejects.toThrow('not JSON')
  const value = (await readLarge('{"__proto__":{"isAdmin":true}}')) as { isAdmin?: unknown }
  expect(value.isAdmin).toBeUndefined()
})

it('depth and members are counted across pieces of any size', () => {
  const inPieces = (text: string, size: number, maxMembers?: number) => {
    const [bytes, counter] = [Buffer.from(text), createJsonCounter(maxMembers)]
    for (let at = 0; at < bytes.length; at += size) counter.add(bytes.subarray(at, at + size))
  }
  const text = `{"a\\"[[[\\\\":"${'[{,'.repeat(100)}","b":[[1,2],{"c":"é\\""}]}`
  for (const size of [1, 2, 3, 5, 1_000]) {
    expect(() => inPieces(text, size, 7)).not.toThrow()
    expect(() => inPieces(text, size, 6)).toThrow('members')
    expect(() => inPieces('['.repeat(65), size)).toThrow('nested deeper than 64 levels')
  }
})

it('what is too large is never parsed at once', () => {
  expect(() => parseJson(space)).toThrow(new JsonTextError('too large'))
})
