import { expect, it } from 'vitest'
import { readBlurb } from './blurb.ts'

it.each([
  ['Please add <span class="search-highlight">dark</span> mode.', 'Please add dark mode.', false],
  ['Please add dark mode, because at ni...', 'Please add dark mode, because at ni...', true],
  ['...ease add dark mode, because at ni...', '… add dark mode, because at ni...', true],
  ['…ease add dark mode', '… add dark mode', true],
  ['... Please add dark mode', '… Please add dark mode', true],
  ['...ダークモードを追加してください。お願いします。', '… ダークモードを追加してください。お願いします。', true],
  ['', '', false],
])('the blurb %j is read as %j, an excerpt: %s', (html, text, isExcerpt) => {
  expect(readBlurb(html)).toEqual({ text, isExcerpt })
})
