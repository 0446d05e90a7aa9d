import { type Static, Type } from 'typebox'
import type { PlatformName } from '../../database/column-types.ts'
import { closed, oneOf, trimmedText } from '../../http/schemas.ts'
import { invalidField } from '../../http/validation.ts'
import { platformNames } from '../../platforms/registry.ts'
import { listOrders } from './cursor.ts'
import type { ListFilters } from './index-scan.ts'

const momentText = (description: string) =>
  Type.Unsafe<string>({
    type: 'string',
    maxLength: 40,
    pattern: '^\\d{4}-\\d{2}-\\d{2}(T\\d{2}:\\d{2}(:\\d{2}(\\.\\d{1,9})?)?(Z|[+-]\\d{2}:\\d{2}))?$',
    description: `${description}; ISO 8601: a date (UTC) or a moment with its zone`,
  })

/** What a list and an export narrow and sort by. */
export const listQuery = {
  topic: Type.Optional(trimmedText(2, 100, 'Only requests of this topic')),
  platforms: Type.Optional(
    Type.Array(Type.String({ maxLength: 500 }), { maxItems: 100, description: 'Comma list, or repeated' }),
  ),
  tag: Type.Optional(
    Type.Array(trimmedText(1, 100, 'As it is written'), {
      maxItems: 20,
      description: 'Only requests with this tag; repeated: with all of them',
    }),
  ),
  minVotes: Type.Optional(
    Type.Integer({ minimum: -2_147_483_648, maximum: 2_147_483_647, description: 'Only requests with so many votes' }),
  ),
  since: Type.Optional(momentText('Only requests that were asked then or later')),
  until: Type.Optional(momentText('Only requests that were asked before')),
  jobId: Type.Optional(Type.String({ maxLength: 100, description: 'Only what this job found' })),
  sortBy: Type.Optional(oneOf(listOrders, { default: 'new', description: 'Newest or most voted first' })),
  cursor: Type.Optional(Type.String({ maxLength: 200, description: 'From the answer before' })),
}

const listQuerySchema = closed(listQuery)
type ListQuery = Static<typeof listQuerySchema>

/** Reads the platforms of a query string: a comma list, a repeated parameter, or both. */
function parsePlatforms(values: readonly string[]): PlatformName[] {
  const names = [...new Set(values.flatMap((value) => value.split(',')).map((name) => name.trim()))]
  const unknown = names.find((name) => !(platformNames as readonly string[]).includes(name))
  if (unknown !== undefined) throw invalidField('platforms', `must be one of ${platformNames.join(', ')}`)
  return names as PlatformName[]
}

/** Nothing is older: the store takes earlier dates for wrong. And what Postgres and ISO 8601 write alike. */
const [earliest, latest] = [0, Date.UTC(9999, 11, 31)]

/** A moment that the database can hold. */
function parseMoment(path: 'since' | 'until', text: string): Date {
  const moment = new Date(text)
  // The pattern lets the 31st of February through.
  const isDay =
    !Number.isNaN(moment.getTime()) &&
    new Date(`${text.slice(0, 10)}T00:00Z`).toISOString().startsWith(text.slice(0, 10))
  if (!isDay) throw invalidField(path, 'is not a moment of the calendar')
  return new Date(Math.min(Math.max(moment.getTime(), earliest), latest))
}

/** The filters of a query string. @throws ServiceError INVALID_REQUEST for an unknown platform or an impossible date. */
export function toListFilters(query: ListQuery): ListFilters {
  const { topic, platforms, tag, minVotes, since, until, jobId } = query
  return {
    ...(topic === undefined ? {} : { topic }),
    ...(platforms === undefined ? {} : { platforms: parsePlatforms(platforms) }),
    ...(tag === undefined ? {} : { tags: [...new Set(tag)] }),
    ...(minVotes === undefined ? {} : { minVotes }),
    ...(since === undefined ? {} : { since: parseMoment('since', since) }),
    ...(until === undefined ? {} : { until: parseMoment('until', until) }),
    ...(jobId === undefined ? {} : { jobId }),
  }
}
