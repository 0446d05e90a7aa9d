import { expect, it } from 'vitest'
import { termsOf } from './terms.ts'

it('every word of a query is a term', () => {
  expect(termsOf(['dark', 'mode'], null, [])).toEqual([['dark'], ['mode']])
})

it('a name is one term: as one word, or in its parts', () => {
  expect(termsOf(['add', 'darkmode', 'dark', 'mode', 'now'], null, [])).toEqual([
    ['add'],
    ['darkmode', 'dark mode'],
    ['now'],
  ])
})

it('a word that may go on is one term with the words that begin so', () => {
  expect(termsOf(['dark', 'mod'], 'mod', ['mod', 'mode', 'model'])).toEqual([['dark'], ['mod', 'mode', 'model']])
})
