import { expect, test } from 'vitest'
import { calibrated, probabilityOf } from './calibration.ts'
import { projectDetector } from './weights-file.ts'

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
