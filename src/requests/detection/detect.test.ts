import { describe, expect, test } from 'vitest'
import { detect, evidenceLogOdds, thresholdsOf, wishClassOf } from './detect.ts'
import { exampleTexts } from './example-texts-testing.ts'

describe('the detection of a wish', () => {
  const wishes = exampleTexts.filter(({ isWish }) => isWish)
  const others = exampleTexts.filter(({ isWish }) => !isWish)

  test.each(wishes)('"$title" is likely a wish', (text) => {
    expect(detect({ ...text, tags: [] }).wish).toBe('likely')
  })

  test.each(others)('"$title" is not likely a wish', (text) => {
    expect(detect({ ...text, tags: [] }).wish).not.toBe('likely')
  })

  test('the same text has the same confidence each time', () => {
    const confidences = () => exampleTexts.map((text) => detect({ ...text, tags: [] }).confidence)
    expect(confidences()).toEqual(confidences())
  })

  test('a confidence at a threshold is of the higher class', () => {
    const { likely, maybe } = thresholdsOf('github')
    expect(wishClassOf(likely, 'github')).toBe('likely')
    expect(wishClassOf(maybe, 'github')).toBe('maybe')
    expect(wishClassOf(maybe - 1e-9, 'github')).toBe('unlikely')
  })

  test('a platform without known figures is held to those of social platforms', () => {
    expect(thresholdsOf('a-new-platform')).toEqual(thresholdsOf('reddit'))
  })

  const long = 10 * 1024 * 1024
  test.each([
    ['empty', '', ''],
    ['10 MB of words', 'please add '.repeat(long / 11), 'it would be nice '.repeat(long / 17)],
    ['10 MB of unclosed comments', '<!--'.repeat(long / 4), '<!-- '.repeat(long / 5)],
    ['10 MB of unclosed code', '`'.repeat(long), '{code}'.repeat(long / 6)],
    ['10 MB of unclosed tags', '<a '.repeat(long / 3), '<a '.repeat(long / 3)],
    ['10 MB of question marks', '?'.repeat(long), '?!'.repeat(long / 2)],
    ['10 MB of characters that grow when normalised', '\ufdfa'.repeat(long), '\ufdfa'.repeat(long)],
    ['lone surrogates', '\ud83d'.repeat(500), 'add \udc00 a \ud83d mode'.repeat(500)],
    ['control characters', '\u0000\u0001\u2028\u202e'.repeat(500), '\u0000'],
  ])('a text of %s has a confidence', (_name, title, description) => {
    for (let round = 0; round < 10; round += 1) {
      const { confidence } = detect({ title, description, platform: 'reddit', tags: [title.slice(0, 1_000)] })
      expect(confidence).toBeGreaterThanOrEqual(0)
      expect(confidence).toBeLessThanOrEqual(1)
    }
    // A text as long as this that was read whole would take minutes, longer than a test may.
  })
})

describe('evidence', () => {
  test('a label of a tracker is stronger evidence than a flair', () => {
    expect(evidenceLogOdds('github', 'wish')).toBeGreaterThan(evidenceLogOdds('reddit', 'wish'))
    expect(evidenceLogOdds('discourse', 'wish')).toBe(evidenceLogOdds('github', 'wish'))
    expect(evidenceLogOdds('github', 'none')).toBe(0)
  })

  test('a label moves the confidence of a text towards what it says', () => {
    const text = { title: 'Toolbar', description: 'The toolbar has three buttons.', platform: 'github' }
    const confidenceWith = (...tags: string[]) => detect({ ...text, tags }).confidence
    expect(confidenceWith('enhancement')).toBeGreaterThan(confidenceWith())
    expect(confidenceWith('bug')).toBeLessThan(confidenceWith())
  })

  test('a type that was chosen in a form counts as much as a label, and a label of the source outweighs it', () => {
    const text = { title: 'Toolbar', description: 'The toolbar has three buttons.', platform: 'github' }
    const described = (description: string, ...tags: string[]) => detect({ ...text, description, tags }).confidence
    const typed = `### Issue type\n\nFeature request\n\n${text.description}`
    expect(described(typed)).toBeCloseTo(described(text.description, 'enhancement'), 2)
    expect(described(typed, 'bug')).toBeCloseTo(described(text.description, 'bug'), 2)
  })
})
