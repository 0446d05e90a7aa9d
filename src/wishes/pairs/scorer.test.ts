import { describe, expect, it } from 'vitest'
import { comparedTextOf } from './compared-text.ts'
import { areOpposed, haveDifferentNumbers } from './conflicts.ts'
import { joiningThreshold, similaritiesOf } from './scorer.ts'

const counts = {
  requests: 10_000,
  of: (word: string) => (['add', 'support', 'android', 'ios'].includes(word) ? 900 : 3),
}
const textOf = (title: string, description = '') => comparedTextOf({ title, description })
const similarity = (one: string, other: string, description = '') =>
  similaritiesOf(textOf(one, description), [textOf(other, description)], counts)[0]!

describe('the similarity of two requests', () => {
  it('is above the threshold for the same title and text, near 0 for other words', () => {
    const text = 'White hurts my eyes at night, so give the code editor dark colours.'
    expect(similarity('Dark mode for the editor', 'Dark mode for the editor', text)).toBeGreaterThan(joiningThreshold)
    expect(similarity('Dark mode for the editor', 'Export a table as CSV')).toBeLessThan(0.02)
  })

  it.each([
    ['Android: pinch to zoom in the image viewer', 'iOS: pinch to zoom in the image viewer'],
    ['Add a proxy setting to the sync client', 'Remove a proxy setting from the sync client'],
    ['Update the bundled runtime to 2.1', 'Update the bundled runtime to 2.3'],
    ['Wishes of the week, May 5', 'Wishes of the week, May 12'],
  ])('of %j and %j is below the threshold', (one, other) => {
    expect(similarity(one, other, 'The same long description of what people would like.')).toBeLessThan(
      joiningThreshold,
    )
  })

  it('is the same for equal candidates, whatever their order', () => {
    const [first, second] = similaritiesOf(textOf('Dark mode'), [textOf('Dark mode'), textOf('Dark mode')], counts)
    expect(first).toBe(second)
  })

  it('of texts without a word is near 0', () => {
    expect(similarity('', '')).toBeLessThan(0.05)
    expect(similaritiesOf(textOf('Dark mode'), [], counts)).toEqual([])
  })
})

describe('titles', () => {
  const stems = (title: string) => new Set(textOf(title).title)
  it('are opposed only where both take a side and share none', () => {
    expect(areOpposed(stems('Support for Windows'), stems('Support for Linux'))).toBe(true)
    expect(areOpposed(stems('Support for Windows and Linux'), stems('Linux support'))).toBe(false)
    expect(areOpposed(stems('Support for Windows'), stems('Support'))).toBe(false)
  })

  it('have different numbers only where each has one of its own', () => {
    expect(haveDifferentNumbers(stems('Node 20'), stems('Node 22'))).toBe(true)
    expect(haveDifferentNumbers(stems('Node 20'), stems('Node'))).toBe(false)
    expect(haveDifferentNumbers(stems('Version 2.1'), stems('Version 2.1.3'))).toBe(false)
  })
})
