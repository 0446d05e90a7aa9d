import { Type } from 'typebox'

/** The one format of dates from callers, for all routes, registered with Ajv. */
export const dateFormat = 'date-or-date-time'

/** The error for a date in neither form. */
export const dateForms = 'must be a day, 2026-01-31, or an RFC 3339 date-time, 2026-01-31T10:00:00Z, that exists'

/** `full-date` and `date-time` of RFC 3339, 5.6, without leap seconds, which `Date` lacks. */
const grammar =
  /^(\d{4}-\d{2}-\d{2})(?:T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d+)?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d))?$/i

/** Whether a text is an existing day (`2026-01-31`) or RFC 3339 date-time. */
export function isDate(text: string): boolean {
  const day = grammar.exec(text)?.[1]
  if (day === undefined) return false
  const start = new Date(`${day}T00:00:00Z`)
  // `Date` reads 31 February as 3 March.
  return !Number.isNaN(start.getTime()) && start.toISOString().startsWith(day)
}

/** No request is older; up to the latest, Postgres and ISO 8601 write dates alike. */
const [earliest, latest] = [0, Date.UTC(9999, 11, 31)]

/** A day means its start in UTC. Clamps to what the database can store. @param text already matches `dateFormat` */
export function parseDate(text: string): Date {
  const moment = Date.parse(text.toUpperCase())
  return new Date(Math.min(Math.max(moment, earliest), latest))
}

/** A date in a body or a query string. */
export const dateParameter = (description: string) =>
  Type.String({
    format: dateFormat,
    description: `${description}; a UTC day (its start), 2026-01-31, or an RFC 3339 date-time, 2026-01-31T10:00:00Z`,
  })
