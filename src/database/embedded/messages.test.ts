import { expect, it } from 'vitest'
import { readAnswer } from './messages.ts'

/** An ErrorResponse of Postgres' protocol. */
function errorResponse(fields: Record<string, string>): Uint8Array {
  const body = Object.entries(fields).map(([type, text]) => `${type}${text}\0`)
  const content = Buffer.from(`${body.join('')}\0`)
  const head = Buffer.alloc(5)
  head.write('E')
  head.writeUInt32BE(content.length + 4, 1)
  return Buffer.concat([head, content])
}

it.each([
  ['ERROR', '23505', false],
  ['FATAL', '57P01', true],
  ['PANIC', '53100', true],
])('says whether the database can go on after an error: %s', (severity, code, isFatal) => {
  const answer = readAnswer(errorResponse({ S: severity, V: severity, C: code, M: 'it failed' }))
  expect(answer).toMatchObject({ isFatal, error: { code, message: 'it failed' }, results: [] })
})
