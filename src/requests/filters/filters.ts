import { type Static, Type } from 'typebox'
import type { PlatformName } from '../../database/column-types.ts'
import { dateParameter, parseDate } from '../../http/dates.ts'
import { closed, oneOf, trimmedText } from '../../http/schemas.ts'
import { invalidField } from '../../http/validation.ts'
import { platformNames } from '../../platforms/registry.ts'

/** Which requests a list, a search or an export has; everything that is given must hold. */
export interface RequestFilters {
  /** In any spelling that means the same. */
  topic?: string | undefined
  platforms?: readonly PlatformName[] | undefined
  /** All of them, as the platform writes them. */
  tags?: readonly string[] | undefined
  minVotes?: number | undefined
  /** Posted then or later, by the platform's date or, where it has none, by when it entered the cache. */
  since?: Date | undefined
  /** Posted before. */
  until?: Date | undefined
}

const tag = trimmedText(1, 100, 'As the platform writes it')
const maxTags = 20

/** The filters that have the same form in a body and in a query string. */
const sharedFilters = {
  topic: Type.Optional(trimmedText(2, 100, 'Only requests of this topic')),
  minVotes: Type.Optional(
    Type.Integer({
      minimum: -2_147_483_648,
      maximum: 2_147_483_647,
      description: 'Only requests with so many votes or more',
    }),
  ),
  since: Type.Optional(dateParameter('Only requests that were posted then or later')),
  until: Type.Optional(dateParameter('Only requests that were posted before then')),
}

/** The filters of a body. */
export const bodyFilters = closed(
  {
    platforms: Type.Optional(Type.Array(oneOf(platformNames), { minItems: 1, maxItems: 100 })),
    tags: Type.Optional(
      Type.Array(tag, { minItems: 1, maxItems: maxTags, description: 'Only requests with all of these tags' }),
    ),
    ...sharedFilters,
  },
  { description: 'Narrow the results; `platforms` beside `query` only says what an expansion collects from' },
)

/** The filters of a query string. */
export const queryFilters = {
  platforms: Type.Optional(
    Type.Array(Type.String({ maxLength: 500 }), { maxItems: 100, description: 'Comma list, or repeated' }),
  ),
  tag: Type.Optional(
    Type.Array(tag, { maxItems: maxTags, description: 'Only requests with this tag; repeated: with all of them' }),
  ),
  ...sharedFilters,
}

const queryFiltersSchema = closed(queryFilters)

/** Reads the platforms of a query string: a comma list, a repeated parameter, or both. */
function parsePlatforms(values: readonly string[]): PlatformName[] {
  const names = values.flatMap((value) => value.split(',')).map((name) => name.trim())
  const unknown = names.find((name) => !(platformNames as readonly string[]).includes(name))
  if (unknown !== undefined) throw invalidField('platforms', `must be one of ${platformNames.join(', ')}`)
  return names as PlatformName[]
}

const distinct = <T>(values: readonly T[] | undefined) => values && [...new Set(values)]

/** The filters of a body. */
export function parseBodyFilters({ since, until, platforms, tags, ...others }: Static<typeof bodyFilters>) {
  const filters: RequestFilters = {
    ...others,
    platforms: distinct(platforms),
    tags: distinct(tags),
    since: since === undefined ? undefined : parseDate(since),
    until: until === undefined ? undefined : parseDate(until),
  }
  return filters
}

/** The filters of a query string. @throws ServiceError INVALID_REQUEST for an unknown platform. */
export function parseQueryFilters({ platforms, tag: tags, ...shared }: Static<typeof queryFiltersSchema>) {
  return parseBodyFilters({
    ...shared,
    ...(platforms ? { platforms: parsePlatforms(platforms) } : {}),
    ...(tags ? { tags } : {}),
  })
}
