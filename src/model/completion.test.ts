import { expect, it } from 'vitest'
import { completionValue } from './completion.ts'

const read = (content: string) => completionValue({ choices: [{ message: { content }, finish_reason: 'stop' }] })

it.each(['```json\n{"a":1}\n```', '```\n{"a":1}\n ```  ', ' {"a":1} ', '```json{"a":1}```'])(
  'JSON as Markdown code is read: %j',
  (content) => expect(read(content)).toEqual({ a: 1 }),
)
