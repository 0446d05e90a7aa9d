import { describe, expect, it } from 'vitest'
import { nextDigest } from './digest-time.ts'

const next = (after: string, cadence: 'daily' | 'weekly', timezone: string, hour: number) =>
  nextDigest(new Date(after), { cadence, timezone, hour }).toISOString()

describe('a digest', () => {
  it('is sent at the local hour, before and after both changes of summer time', () => {
    expect(next('2026-03-27T12:00:00Z', 'daily', 'Europe/Berlin', 8)).toBe('2026-03-28T07:00:00.000Z')
    expect(next('2026-03-28T12:00:00Z', 'daily', 'Europe/Berlin', 8)).toBe('2026-03-29T06:00:00.000Z')
    expect(next('2026-10-24T12:00:00Z', 'daily', 'Europe/Berlin', 8)).toBe('2026-10-25T07:00:00.000Z')
    expect(next('2026-03-07T20:00:00Z', 'daily', 'America/New_York', 9)).toBe('2026-03-08T13:00:00.000Z')
    expect(next('2026-01-01T00:00:00Z', 'daily', 'Asia/Kathmandu', 0)).toBe('2026-01-01T18:15:00.000Z')
  })

  it('is sent once where the hour is skipped, and once where it comes twice', () => {
    expect(next('2026-03-28T12:00:00Z', 'daily', 'Europe/Berlin', 2)).toBe('2026-03-29T01:00:00.000Z')
    expect(next('2026-03-29T01:00:00Z', 'daily', 'Europe/Berlin', 2)).toBe('2026-03-30T00:00:00.000Z')
    expect(next('2026-10-24T12:00:00Z', 'daily', 'Europe/Berlin', 2)).toBe('2026-10-25T00:00:00.000Z')
    expect(next('2026-10-25T00:00:00Z', 'daily', 'Europe/Berlin', 2)).toBe('2026-10-26T01:00:00.000Z')
  })

  it('of a week is sent on Mondays of the reader', () => {
    // In Auckland it is Monday already.
    expect(next('2026-11-22T20:00:00Z', 'weekly', 'Pacific/Auckland', 10)).toBe('2026-11-22T21:00:00.000Z')
    expect(next('2026-11-22T21:00:00Z', 'weekly', 'Pacific/Auckland', 10)).toBe('2026-11-29T21:00:00.000Z')
    expect(next('2026-11-23T12:00:00Z', 'weekly', 'UTC', 8)).toBe('2026-11-30T08:00:00.000Z')
  })

  it('comes once a day of a year in every zone', () => {
    for (const timezone of ['Europe/Berlin', 'Australia/Lord_Howe']) {
      for (const hour of [0, 2]) {
        let at = new Date('2026-01-01T00:30:00Z')
        const days = new Set<string>()
        for (let count = 0; count < 365; count++) {
          const following = nextDigest(at, { cadence: 'daily', timezone, hour })
          expect(following.getTime()).toBeGreaterThan(at.getTime())
          at = following
          days.add(at.toLocaleDateString('en-CA', { timeZone: timezone }))
        }
        expect(days.size).toBe(365)
      }
    }
  })
})
