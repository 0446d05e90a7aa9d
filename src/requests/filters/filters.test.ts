import { describe, expect, it } from 'vitest'
import { closed } from '../../http/schemas.ts'
import { createValidatorCompiler, invalidRequest } from '../../http/validation.ts'
import { parseBodyFilters, parseQueryFilters, queryFilters } from './filters.ts'

const account = {
  accountId: '00000000-0000-4000-8000-000000000001',
  tier: 'free' as const,
  hasOwnView: false,
  keyId: null,
  personName: null,
  keyHasBudget: false,
  scope: 'manage' as const,
}

const validate = createValidatorCompiler()({
  schema: closed(queryFilters),
  httpPart: 'querystring',
  method: 'GET',
  url: '/',
} as never)

/** The filters of a query string; the message of the refusal where it is wrong. */
function read(sent: Record<string, unknown>) {
  const result = validate(sent) as true | { error: never }
  return result === true ? parseQueryFilters(sent, account) : invalidRequest('querystring', result.error).message
}

describe('the filters of a query string', () => {
  it('read statuses as a comma list, repeated, or both, each once', () => {
    expect(read({ status: ['open, planned', 'open'] })).toMatchObject({ status: ['open', 'planned'] })
    expect(read({ status: 'open' })).toMatchObject({ status: ['open'] })
    expect(parseQueryFilters({}, account).status).toBeUndefined()
  })

  it('refuse an unknown status or platform, and name it', () => {
    expect(read({ status: 'open,done' })).toMatch(/^status: must be one of open, planned, .*closed, not "done"\.$/)
    expect(read({ platforms: 'myspace' })).toMatch(/^platforms: must be one of .*, not "myspace"\.$/)
    expect(read({ platforms: 'GitHub' })).toMatch(/not "GitHub"\. Did you mean github\?$/)
    expect(read({ status: '' })).toContain('not ""')
  })
})

describe('the view of the filters', () => {
  it('is the same for all accounts without differences', () => {
    const other = { ...account, accountId: '00000000-0000-4000-8000-000000000002' }
    expect(parseBodyFilters({}, account).view).toEqual({ account: null, least: 2 })
    expect(parseBodyFilters({}, other)).toEqual(parseBodyFilters({}, account))
  })

  it('is of its own for an account with differences', () => {
    const own = { ...account, hasOwnView: true }
    expect(parseBodyFilters({}, own).view).toEqual({ account: own.accountId, least: 2 })
  })

  it('shows the classes that include names', () => {
    expect(parseBodyFilters({ include: 'maybe' }, account).view?.least).toBe(1)
    expect(parseQueryFilters({ include: 'all' }, account).view?.least).toBe(0)
  })
})
