import { Type } from 'typebox'

/** The format of a date that a caller sends, registered with Ajv; there is one grammar for all routes. */
export const dateFormat = 'date-or-date-time'

/** What a date that has neither form is refused with. */
export const dateForms = 'must be a day, 2026-01-31, or an RFC 3339 date-time, 2026-01-31T10:00:00Z, that exists'

/** `full-date` and `date-time` of RFC 3339, section 5.6; without leap seconds, which have no `Date`. */
const grammar =
  /^(\d{4}-\d{2}-\d{2})(?:T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d+)?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d))?$/i

/** Whether a text is a day (`2026-01-31`) or an RFC 3339 date-time, and exists in the calendar. */
export function isDate(text: string): boolean {
  const day = grammar.exec(text)?.[1]
  if (day === undefined) return false
  const start = new Date(`${day}T00:00:00Z`)
  // `Date` takes the 31st of February for the 3rd of March.
  return !Number.isNaN(start.getTime()) && start.toISOString().startsWith(day)
}

/** No request is older: the store takes earlier dates for wrong. Up to the latest, Postgres and ISO 8601 write alike. */
const [earliest, latest] = [0, Date.UTC(9999, 11, 31)]

/**
 * The moment that a date stands for, a day for its start in UTC.
 * @param text as the format has let it through. Moments that the database cannot hold become the nearest that it can.
 */
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
