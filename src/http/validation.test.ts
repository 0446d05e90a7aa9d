import { type TSchema, Type } from 'typebox'
import { describe, expect, it } from 'vitest'
import { dateParameter } from './dates.ts'
import { closed, formedText, nullable, oneOf } from './schemas.ts'
import { createValidatorCompiler, invalidRequest } from './validation.ts'

const name = Type.Optional(Type.String({ minLength: 2, maxLength: 5 }))
const limit = Type.Optional(Type.Integer({ minimum: 1, maximum: 100 }))
const schema = closed({
  ...{ name, limit },
  kinds: Type.Optional(Type.Array(oneOf(['new', 'grown']), { uniqueItems: true, minItems: 1, maxItems: 2 })),
  goal: Type.Optional(nullable(Type.String())),
  since: Type.Optional(dateParameter('From then on')),
  isDry: Type.Optional(Type.Boolean()),
  month: Type.Optional(formedText('^2[0-9]{3}-(0[1-9]|1[0-2])$', 'a month, such as 2026-11')),
  code: Type.Optional(formedText('^[0-9]{4}$', 'four digits', { isSecret: true })),
  platforms: Type.Optional(Type.Array(Type.String(), { 'x-words': ['github', 'gitlab'] })),
  within: Type.Optional(closed({ platforms: Type.Optional(Type.Array(Type.String())) })),
  token: Type.Optional(Type.String()),
})

function refused(sent: unknown, { httpPart = 'body', of = schema as TSchema } = {}) {
  const compile = createValidatorCompiler()
  const validate = compile({ schema: of, httpPart, method: 'POST', url: '/' } as never)
  const result = validate(sent) as true | { error: never }
  return result === true ? null : invalidRequest(httpPart, result.error)
}

const refusal = (...given: Parameters<typeof refused>) => refused(...given)?.message ?? 'accepted'

// Holds (HTTP and secrets): a refusal names every wrong field and value, suggests the intended word, and repeats no secret
describe('a refusal names field and value in one sentence', () => {
  it.each([
    [{ name: 'a' }, 'name: must have at least 2 characters, not 1.'],
    [{ name: 'abcdef' }, 'name: must have at most 5 characters, not 6.'],
    [{ name: '👍👍👍👍👍👍' }, 'name: must have at most 5 characters, not 6.'],
    [{ name: 5 }, 'name: must be a text, not 5.'],
    [{ name: null }, 'name: must be a text, not null.'],
    [{ name: ['ab'] }, 'name: must be a text, not a list.'],
    [{ name: {} }, 'name: must be a text, not an object.'],
    [{ token: 12345 }, 'token: must be a text, not a number.'],
    [{ month: '2026-13' }, 'month: must be a month, such as 2026-11, not "2026-13".'],
    [{ code: 'secret' }, 'code: must be four digits.'],
    [{ limit: null }, 'limit: must be a whole number, not null.'],
    [{ limit: {} }, 'limit: must be a whole number, not an object.'],
    [{ kinds: ['nwe'] }, 'kinds.0: must be one of new, grown, not "nwe". Did you mean new?'],
    [{ kinds: ['Grown'] }, 'kinds.0: must be one of new, grown, not "Grown". Did you mean grown?'],
    [{ platforms: ['github, gitlap'] }, 'platforms: must be one of github, gitlab, not "gitlap". Did you mean gitlab?'],
    [{ within: { platform: ['x'] } }, 'within.platform: unknown field. Did you mean platforms?'],
    [{ limit: 500 }, 'limit: must be at most 100, not 500.'],
    [{ limit: 'ten' }, 'limit: must be a whole number, not "ten".'],
    [{ kinds: ['votes'] }, 'kinds.0: must be one of new, grown, not "votes".'],
    [{ kinds: [`v${'o'.repeat(99)}`] }, `kinds.0: must be one of new, grown, not "v${'o'.repeat(59)}…".`],
    [{ kinds: [] }, 'kinds: must have at least 1 item, not 0.'],
    [{ kinds: 'new' }, 'kinds: must be a list, not a text.'],
    [{ kinds: ['new', 'new'] }, 'kinds: must not have an item twice.'],
    [{ goal: 5 }, 'goal: must be a text, not 5.'],
    [{ since: 'yesterday' }, /^since: must be a day, .*, not "yesterday"\.$/],
    [{ isDry: 'yes' }, 'isDry: must be true or false, not "yes".'],
    [{ nmae: 'ab' }, 'nmae: unknown field. Did you mean name?'],
    [{ unlike: 'ab' }, 'unlike: unknown field.'],
    [{ nmae: 'ab', limit: 0 }, 'limit: must be at least 1, not 0.'],
    ['a secret', 'body: must be an object, not a text.'],
  ])('%j', (sent, message) => {
    expect(refusal(sent)).toEqual(typeof message === 'string' ? message : expect.stringMatching(message))
  })

  it('also of a query string, whose numbers are texts', () => {
    expect(refusal({ limit: 'abc' }, { httpPart: 'querystring' })).toBe('limit: must be a whole number, not "abc".')
    expect(refusal({ limit: '7' }, { httpPart: 'querystring' })).toBe('accepted')
    expect(refusal({ limit: ['5', '6'] }, { httpPart: 'querystring' })).toBe('limit: is given 2 times; give it once.')
    expect(refusal({ name: ['ab', 'cd'] }, { httpPart: 'querystring' })).toBe('name: is given 2 times; give it once.')
    expect(refusal({ platforms: 'github,gitlab' }, { httpPart: 'querystring' })).toBe('accepted')
  })

  it('with every wrong field in its details', () => {
    const wrong = { limit: 'abc', since: 'yesterday', platforms: 'githb', extra: '1' }
    const { extras } = refused(wrong, { httpPart: 'querystring' })!
    expect(extras.details?.map(({ path }) => path).sort()).toEqual(['extra', 'limit', 'platforms', 'since'])
  })
})
