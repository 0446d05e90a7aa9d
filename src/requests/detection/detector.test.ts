import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import {
  calibrated,
  maxFileBytes,
  parseDetector,
  probabilityOf,
  projectDetector,
  weightsFile,
  writeDetector,
} from './weights-file.ts'

describe('the file of the weights', () => {
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
})

describe('the calibration of the weights', () => {
  const scores = [
    Number.NEGATIVE_INFINITY,
    -1e9,
    ...Array.from({ length: 401 }, (_item, index) => (index - 200) / 10),
    1e9,
  ]

  test.each(['tracker', 'social'] as const)('a higher score of a %s text is never a lower confidence', (group) => {
    const { calibration } = projectDetector()[group]
    const confidences = scores.map((score) => probabilityOf(calibrated(score, calibration)))
    expect(confidences).toEqual([...confidences].sort((one, other) => one - other))
    expect(confidences.every((confidence) => confidence > 0 && confidence < 1)).toBe(true)
  })

  test.each(['tracker', 'social'] as const)('a likely %s text needs more than one that may be a wish', (group) => {
    const { likely, maybe } = projectDetector()[group].thresholds
    expect(maybe).toBeGreaterThan(0)
    expect(likely).toBeGreaterThan(maybe)
    expect(likely).toBeLessThan(1)
  })
})
