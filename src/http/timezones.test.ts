import { expect, it } from 'vitest'
import { isTimezone } from './timezones.ts'

it('knows names of time zones, and no offsets', () => {
  for (const name of ['UTC', 'Europe/Berlin', 'America/Argentina/Buenos_Aires', 'Etc/GMT+3', 'Australia/Lord_Howe']) {
    expect(isTimezone(name), name).toBe(true)
  }
  for (const name of [
    '',
    'Mars',
    '+02:00',
    'Europe',
    'Europe/Berlin\n',
    'Europe Berlin',
    'Mars/Base',
    'x'.repeat(100),
  ]) {
    expect(isTimezone(name), name).toBe(false)
  }
})
