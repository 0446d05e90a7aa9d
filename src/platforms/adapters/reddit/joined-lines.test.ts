import { expect, it } from 'vitest'
import { joinLines } from './joined-lines.ts'

it.each([
  ['one\ntwo\n\nthree', 'one two\n\nthree'],
  ['one\r\n  two', 'one two'],
  ['one  \ntwo\\\nthree', 'one  \ntwo\\\nthree'],
  ['text\n- a\n- b\n  more', 'text\n- a\n- b more'],
  ['1. a\n2) b', '1. a\n2) b'],
  ['> quoted\nstill quoted', '> quoted still quoted'],
  ['# Title\ntext', '# Title\ntext'],
  ['#notitle\ntext', '#notitle text'],
  ['a | b\n--- | ---\n| c | d |', 'a | b\n--- | ---\n| c | d |'],
  ['```\na\nb\n```\nc\nd', '```\na\nb\n```\nc d'],
  ['~~~\na\n```\nb', '~~~\na\n```\nb'],
  ['    code\n    more\ntext', '    code\n    more\ntext'],
  ['text\n***\ntext', 'text\n***\ntext'],
  ['', ''],
  ['\n\na', '\n\na'],
])('%j is shown as %j', (markdown, joined) => {
  expect(joinLines(markdown)).toBe(joined)
})

it('takes no longer for many short lines than for few long ones', () => {
  const start = performance.now()
  expect(joinLines('a\n'.repeat(200_000))).toHaveLength(400_000)
  expect(performance.now() - start).toBeLessThan(5_000)
})
