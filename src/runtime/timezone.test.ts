import { expect, it } from 'vitest'
import { isTimezone } from './timezone.ts'

it.each(['UTC', 'Europe/Berlin', 'Etc/GMT+3', 'Australia/Lord_Howe', 'America/Argentina/Buenos_Aires'])(
  '%s is a time zone',
  (name) => expect(isTimezone(name)).toBe(true),
)

it.each(['', '+01:00', 'Mars', 'Mars/Base', 'Europe', 'Europe/Berlin\n', 'Europe Berlin', 'x'.repeat(100)])(
  '%j is none',
  (name) => expect(isTimezone(name)).toBe(false),
)
