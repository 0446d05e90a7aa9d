import { describe, expect, it } from 'vitest'
import { hasNextLink, headerEpochSeconds, headerNumber, headerText, retryAfter } from './headers.ts'

const now = new Date('2026-05-05T12:00:00Z')

describe('headers', () => {
  it('have a next page only if Link has one', () => {
    const next = '<https://a.example/?q=a,b&page=2>; rel="next", <https://a.example/?page=9>; rel="last"'
    for (const link of [
      next,
      '<x>; rel=next',
      '<x>; title="y"; rel="prev next"',
      '<x>;rel = "NEXT"',
      '<x>; rel=next, <y>; rel=last',
    ]) {
      expect(hasNextLink({ link })).toBe(true)
    }
    for (const link of [
      '<x>; rel="deprecation"',
      '<x;rel=next;>; rel="last"',
      '<x>; rel="nextish"',
      '',
      '<x>; rel="prev"',
    ]) {
      expect(hasNextLink({ link })).toBe(false)
    }
    expect(hasNextLink({})).toBe(false)
    expect(hasNextLink({ link: ['<x>; rel="last"', '<x>; rel="next"'] })).toBe(true)
  })

  it('give the time of the next try in seconds or as a date, at most a day away', () => {
    expect(retryAfter({ 'retry-after': '30' }, now)).toEqual(new Date('2026-05-05T12:00:30Z'))
    expect(retryAfter({ 'retry-after': 'Tue, 05 May 2026 12:01:00 GMT' }, now)).toEqual(
      new Date('2026-05-05T12:01:00Z'),
    )
    expect(retryAfter({ 'retry-after': '99999999999999999999' }, now)).toEqual(new Date('2026-05-06T12:00:00Z'))
    for (const value of ['0', 'soon', 'Tue, 05 May 2020 12:01:00 GMT', '-5', '']) {
      expect(retryAfter({ 'retry-after': value }, now)).toBeNull()
    }
    expect(retryAfter({}, now)).toBeNull()
  })

  it('give the end of a period, unless it is past or absurd', () => {
    const inSeconds = (seconds: number) => ({ reset: String(now.getTime() / 1000 + seconds) })
    expect(headerEpochSeconds(inSeconds(60), 'reset', now)).toEqual(new Date('2026-05-05T12:01:00Z'))
    for (const seconds of [0, -5, 2 * 86_400]) expect(headerEpochSeconds(inSeconds(seconds), 'reset', now)).toBeNull()
    expect(headerEpochSeconds({ reset: 'x' }, 'reset', now)).toBeNull()
  })

  it('are numbers only in decimal digits', () => {
    expect([headerNumber({ a: '0' }, 'a'), headerNumber({ a: '12' }, 'a')]).toEqual([0, 12])
    for (const a of ['', '-1', '1.5', '1e3', ' ', undefined]) expect(headerNumber({ a }, 'a')).toBeNull()
    expect(headerText({ a: ['1', '2'] }, 'a')).toBe('1, 2')
  })
})
