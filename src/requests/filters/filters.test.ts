import { describe, expect, it } from 'vitest'
import { ServiceError } from '../../http/errors.ts'
import { parseBodyFilters, parseQueryFilters } from './filters.ts'

const account = {
  accountId: '00000000-0000-4000-8000-000000000001',
  tier: 'free' as const,
  hasOwnView: false,
  keyId: null,
  personName: null,
  keyHasBudget: false,
  scope: 'manage' as const,
}

/** The message of the error that a call throws. */
function refusalOf(call: () => unknown): string {
  try {
    call()
  } catch (error) {
    if (error instanceof ServiceError) return error.message
    throw error
  }
  throw new Error('nothing was refused')
}

describe('the filters of a query string', () => {
  it('read statuses as a comma list, repeated, or both, each once', () => {
    expect(parseQueryFilters({ status: ['open, planned', 'open'] }, account).status).toEqual(['open', 'planned'])
    expect(parseQueryFilters({}, account).status).toBeUndefined()
  })

  it('refuse an unknown status or platform, and name it', () => {
    expect(refusalOf(() => parseQueryFilters({ status: ['open,done'] }, account))).toMatch(
      /^status: must be one of open, planned, .*closed, not "done"\.$/,
    )
    expect(refusalOf(() => parseQueryFilters({ platforms: ['myspace'] }, account))).toMatch(
      /^platforms: must be one of .*, not "myspace"\.$/,
    )
    expect(refusalOf(() => parseQueryFilters({ status: [''] }, account))).toContain('not ""')
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
