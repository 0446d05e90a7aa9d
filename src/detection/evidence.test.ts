import { expect, test } from 'vitest'
import { detect } from './detect.ts'
import { evidenceLogOdds, evidenceOf } from './evidence.ts'

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
  expect(evidenceLogOdds('github', labels)).toBe(0)
})

test('a label of a tracker is stronger evidence than a flair', () => {
  expect(evidenceLogOdds('github', ['feature'])).toBeGreaterThan(evidenceLogOdds('reddit', ['feature']))
  expect(evidenceLogOdds('discourse', ['Feature Requests'])).toBe(evidenceLogOdds('github', ['feature']))
})

test('a label moves the confidence of a text towards what it says', () => {
  const text = { title: 'Toolbar', description: 'The toolbar has three buttons.', platform: 'github' }
  const confidenceWith = (...tags: string[]) => detect({ ...text, tags }).confidence
  expect(confidenceWith('enhancement')).toBeGreaterThan(confidenceWith())
  expect(confidenceWith('bug')).toBeLessThan(confidenceWith())
})
