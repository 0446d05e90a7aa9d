import { expect, test } from 'vitest'
import { blockCount, featuresOf, modelSize, normalText } from './features.ts'

function copyOf(title: string, description: string) {
  const { positions, ends, values } = featuresOf(title, description)
  return { positions: [...positions.subarray(0, ends[blockCount - 1])], ends: [...ends], values: [...values] }
}

function textOf(title: string, description: string): string {
  const { codes, length } = normalText(title, description)
  return String.fromCharCode(...codes.subarray(0, length))
}

test('the features of a text do not depend on the texts before it', () => {
  const first = copyOf('Add a dark mode', 'Please add an option for it.')
  copyOf('Something else', 'that is much longer than the first text. '.repeat(100))
  expect(copyOf('Add a dark mode', 'Please add an option for it.')).toEqual(first)
})

test('a feature counts once, however often a text has it', () => {
  const { positions } = copyOf('please please please', 'please '.repeat(50))
  expect(new Set(positions).size).toBe(positions.length)
  expect(positions.every((position) => position < modelSize)).toBe(true)
})

test('case, compatibility forms and the kind of apostrophe make no difference', () => {
  expect(copyOf('I’D LOVE A ﬁlter', '')).toEqual(copyOf("i'd love a filter", ''))
})

test('comments, code, addresses and tags are left out, and headings stay', () => {
  const text = textOf(
    'Crash',
    '<!-- describe it -->\n### Steps to reproduce\n```js\nsecretCode()\n```\n<details>Open {code:java}otherCode{code} https://example.org/page `inline` end',
  )
  expect(text).toContain('steps to reproduce')
  expect(text).toContain('open')
  expect(text).toContain('end')
  for (const left of ['describe', 'secretcode', 'othercode', 'example', 'inline', 'details'])
    expect(text).not.toContain(left)
})

test('any number reads as the same number', () => {
  expect(textOf('Version 12.34', '')).toBe(textOf('Version 5.6', ''))
})
