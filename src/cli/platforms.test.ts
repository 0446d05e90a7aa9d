import { describe, expect, it } from 'vitest'
import { formatPlatforms, type HostStatus, type PlatformStatus } from './platforms.ts'

const host = (fields: Partial<HostStatus> = {}): HostStatus => ({
  host: 'api.example',
  state: 'ready',
  resumesAt: null,
  budget: { remaining: 9, limit: 10 },
  quota: null,
  failures: 0,
  lastSuccessAt: null,
  lastError: null,
  ...fields,
})
const lastError = { code: 'unavailable' as const, message: 'The connection failed.', at: '2026-01-02T00:00:00.000Z' }
const failing = host({ host: 'down.example', failures: 1, lastError })
const platform = (hosts: HostStatus[], advice: string | null = null): PlatformStatus => ({
  platform: 'discourse',
  state: 'ready',
  isDefault: true,
  votes: 'likes',
  missing: [],
  resumesAt: null,
  lastSuccessAt: null,
  advice,
  sources: null,
  hosts,
  yield: null,
})

describe('wishwell admin platforms', () => {
  it('never shows a host as ready whose last call failed', () => {
    const lines = formatPlatforms([platform([failing], lastError.message)])
    expect(lines[0]).toBe('discourse      failing, used by default')
    expect(lines[1]).toBe('    down.example: failing, 9 of 10 requests left, no answer yet')
    expect(lines[2]).toBe('    The connection failed.')
    expect(lines.join('\n')).not.toContain('ready')
  })

  it('says how many of several hosts are failing', () => {
    const [line] = formatPlatforms([platform([host(), failing])])
    expect(line).toBe('discourse      ready, but 1 of 2 hosts failing, used by default')
  })

  it('takes a failure for over after an answer, and a wait for none', () => {
    const answered = { ...failing, lastSuccessAt: '2026-01-03T00:00:00.000Z' }
    const waited = host({ lastError: { ...lastError, code: 'rate_limited' } })
    expect(formatPlatforms([platform([answered, waited])])[0]).toBe('discourse      ready, used by default')
  })

  it('shows a state of the service as it is', () => {
    const paused = { ...platform([failing]), state: 'paused' as const, resumesAt: '2026-01-02T00:01:00.000Z' }
    expect(formatPlatforms([paused])[0]).toBe('discourse      paused until 2 Jan 2026, 00:01 UTC, used by default')
  })
})
