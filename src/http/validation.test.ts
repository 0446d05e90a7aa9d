import { type TSchema, Type } from 'typebox'
import { describe, expect, it } from 'vitest'
import { dateParameter } from './dates.ts'
import { closed, nullable, oneOf } from './schemas.ts'
import { createValidatorCompiler, invalidRequest } from './validation.ts'

const name = Type.Optional(Type.String({ minLength: 2, maxLength: 5 }))
const limit = Type.Optional(Type.Integer({ minimum: 1, maximum: 100 }))
const schema = closed({
  ...{ name, limit },
  kinds: Type.Optional(Type.Array(oneOf(['new', 'grown']), { uniqueItems: true, minItems: 1, maxItems: 2 })),
  goal: Type.Optional(nullable(Type.String())),
  since: Type.Optional(dateParameter('From then on')),
  isDry: Type.Optional(Type.Boolean()),
})

function refusal(sent: unknown, { httpPart = 'body', of = schema as TSchema } = {}): string {
  const compile = createValidatorCompiler()
  const validate = compile({ schema: of, httpPart, method: 'POST', url: '/' } as never)
  const result = validate(sent) as true | { error: never }
  return result === true ? 'accepted' : invalidRequest(httpPart, result.error).message
}

describe('a refusal names field and value in one sentence', () => {
  it.each([
    [{ name: 'a' }, 'name: must have at least 2 characters.'],
    [{ name: 'abcdef' }, 'name: must have at most 5 characters.'],
    [{ name: 5 }, 'name: must be a text.'],
    [{ limit: 500 }, 'limit: must be at most 100, not 500.'],
    [{ limit: 'ten' }, 'limit: must be a whole number, not "ten".'],
    [{ kinds: ['votes'] }, 'kinds.0: must be one of new, grown, not "votes".'],
    [{ kinds: [`v${'o'.repeat(99)}`] }, `kinds.0: must be one of new, grown, not "v${'o'.repeat(59)}…".`],
    [{ kinds: [] }, 'kinds: must have at least 1 item.'],
    [{ kinds: 'new' }, 'kinds: must be a list.'],
    [{ kinds: ['new', 'new'] }, 'kinds: must not have an item twice.'],
    [{ goal: 5 }, 'goal: must be a text.'],
    [{ since: 'yesterday' }, /^since: must be a day, .*, not "yesterday"\.$/],
    [{ isDry: 'yes' }, 'isDry: must be true or false, not "yes".'],
    [{ nmae: 'ab' }, 'nmae: unknown field.'],
    [{ nmae: 'ab', limit: 0 }, 'limit: must be at least 1, not 0.'],
    ['a secret', 'body: must be an object.'],
  ])('%j', (sent, message) => {
    expect(refusal(sent)).toEqual(typeof message === 'string' ? message : expect.stringMatching(message))
  })

  it('also of a query string, whose numbers are texts', () => {
    expect(refusal({ limit: 'abc' }, { httpPart: 'querystring' })).toBe('limit: must be a whole number, not "abc".')
    expect(refusal({ limit: '7' }, { httpPart: 'querystring' })).toBe('accepted')
  })
})
