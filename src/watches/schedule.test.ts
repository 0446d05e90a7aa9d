import { describe, expect, it } from 'vitest'
import { countInstants, faultOfSchedule, nextInstants, type Schedule } from './schedule.ts'

// Holds (Watches, news and channels): watches run at the right local time across daylight-saving changes

const now = new Date('2026-03-20T00:00:00Z')

const of = (schedule: string, timezone = 'UTC', more: Partial<Schedule> = {}): Schedule => ({
  schedule,
  timezone,
  accountId: '00000000-0000-4000-8000-000000000001',
  topic: 'dark mode',
  ...more,
})

const texts = (schedule: Schedule, after: string, count: number) =>
  nextInstants(schedule, new Date(after), count).map((instant) => instant.toISOString().slice(0, 16))

describe('the instants of a schedule', () => {
  it('over both changes of summer time are those of the local time', () => {
    const daily = of('30 2 * * *', 'Europe/Berlin')
    // 2:30 does not exist on the 29th: the first moment after the gap.
    expect(texts(daily, '2026-03-27T12:00:00Z', 3)).toEqual([
      '2026-03-28T01:30',
      '2026-03-29T01:00',
      '2026-03-30T00:30',
    ])
    // 2:30 comes twice on the 25th: the first of both, also asked for between them.
    expect(texts(daily, '2026-10-24T00:00:00Z', 3)).toEqual([
      '2026-10-24T00:30',
      '2026-10-25T00:30',
      '2026-10-26T01:30',
    ])
    expect(texts(daily, '2026-10-25T01:00:00Z', 1)).toEqual(['2026-10-26T01:30'])
  })

  it('of each hour have no hour that does not exist, and both of the same name', () => {
    const hourly = of('30 * * * *', 'Europe/Berlin')
    expect(texts(hourly, '2026-03-29T00:00:00Z', 3)).toEqual([
      '2026-03-29T00:30',
      '2026-03-29T01:30',
      '2026-03-29T02:30',
    ])
    expect(texts(hourly, '2026-10-25T00:00:00Z', 3)).toEqual([
      '2026-10-25T00:30',
      '2026-10-25T01:30',
      '2026-10-25T02:30',
    ])
  })

  it('are spread by account and topic, and the same for every spelling of a topic', () => {
    const minutes = Array.from({ length: 200 }, (_, index) => of('hourly', 'UTC', { topic: `topic ${index}` })).map(
      (schedule) => nextInstants(schedule, now, 1)[0]!.getUTCMinutes(),
    )
    expect(new Set(minutes).size).toBeGreaterThan(50)
    expect(texts(of('weekly'), '2026-03-20', 2)).toEqual(
      texts(of('weekly', 'UTC', { topic: 'Dark  MODE' }), '2026-03-20', 2),
    )
    for (const schedule of ['daily', 'weekly', 'monthly']) {
      const [first] = nextInstants(of(schedule, 'Asia/Kolkata'), now, 1)
      const local = new Intl.DateTimeFormat('en', { timeZone: 'Asia/Kolkata', hour: '2-digit', hourCycle: 'h23' })
      expect(Number(local.format(first))).toBeLessThan(6)
    }
  })

  it('are counted for a month', () => {
    expect(['hourly', 'daily', '0 8 * * *', '0 8 * * 1'].map((schedule) => countInstants(of(schedule), now))).toEqual([
      744, 31, 31, 4,
    ])
  })
})

describe('a schedule', () => {
  it.each(['hourly', 'monthly', '0 8 * * *', '15 */4 1-15 * MON-FRI', '59 0,12 * JAN,jul 0'])(
    'may be %s',
    (schedule) => {
      expect(faultOfSchedule(schedule, now)).toBeNull()
    },
  )

  it.each([
    '',
    'yearly',
    '* * * * *',
    '*/5 * * * *',
    '0,30 * * * *',
    '0-30 * * * *',
    '60 * * * *',
    '0 24 * * *',
    '0 8 * *',
  ])('may not be %j', (schedule) =>
    expect(faultOfSchedule(schedule, now)).toContain('a cron expression of five fields'),
  )

  it.each([
    '0 0 8 * * *',
    '@daily',
    '0 8 * * FOO',
    '0 8 L * *',
    '0 8 * * 1#2',
    '0 8 ? * *',
    '0 8 1/0 * *',
    '0 8 0 * *',
  ])('may not be %j, either', (schedule) => expect(faultOfSchedule(schedule, now)).not.toBeNull())

  it('must have an instant', () => {
    expect(faultOfSchedule('0 8 31 2 *', now)).toBe('has no instant: there is no such day')
  })
})
