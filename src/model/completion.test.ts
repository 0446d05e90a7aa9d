import { expect, it } from 'vitest'
import { completionValue } from './completion.ts'

const answered = (content: string) => completionValue({ choices: [{ message: { content }, finish_reason: 'stop' }] })

it.each(['```json\n{"a":1}\n```', '```\n{"a":1}\n ```  ', ' {"a":1} ', '```json{"a":1}```'])(
  'JSON as Markdown code is read: %j',
  (content) => expect(answered(content)).toEqual({ a: 1 }),
)

it('an answer of blanks takes no time', () => {
  const begun = performance.now()
  expect(answered(`{"a":"${' '.repeat(200_000)}"}`)).toHaveProperty('a')
  expect(performance.now() - begun).toBeLessThan(1_000)
})
