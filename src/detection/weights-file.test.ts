import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { maxFileBytes, parseDetector, weightsFile, writeDetector } from './weights-file.ts'

const file = readFileSync(weightsFile)

test('the weights of the project have at most 128 KiB and can be read', () => {
  expect(file.length).toBeLessThanOrEqual(maxFileBytes)
  const { tracker, social } = parseDetector(file)
  for (const { model } of [tracker, social]) expect(model.weights.some((weight) => weight !== 0)).toBe(true)
})

test('weights that are read and written again are the same file', () => {
  expect(writeDetector(parseDetector(file)).equals(file)).toBe(true)
})

test.each([
  ['an empty file', Buffer.alloc(0)],
  ['another file', Buffer.from('{"weights": []}')],
  ['a cut file', file.subarray(0, file.length - 1)],
  ['a file of another version', Buffer.from(file.toString('latin1').replace('"version":1', '"version":9'), 'latin1')],
])('%s is refused with a reason', (_name, other) => {
  expect(() => parseDetector(other)).toThrow(/weights of the detection/)
})
