import { expect, test } from 'vitest'
import { evidenceOf } from './labels.ts'

test.each([
  'enhancement',
  'Feature Request',
  'feature-request',
  'kind/feature',
  'type: feature',
  'type::feature',
  'Type: New Feature',
  'C-enhancement',
  '✨ enhancement',
  'Suggestions',
  'Ideas',
])('the label %s is evidence of a wish', (label) => {
  expect(evidenceOf(['ui', label])).toBe('wish')
})

test.each(['bug', 'kind/bug', 'type: bug', '🐛 bug', 'Type: Defect', 'question', 'regression'])(
  'the label %s is evidence against a wish',
  (label) => {
    expect(evidenceOf([label])).toBe('other')
  },
)

test.each([
  [[]],
  [['ui', 'good first issue', 'help wanted']],
  [['bug', 'enhancement']],
  [['feature-flags', 'wontfix']],
])('the labels %j are no evidence', (labels) => {
  expect(evidenceOf(labels)).toBe('none')
})
