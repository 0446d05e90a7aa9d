import { type Static, Type } from 'typebox'
import { type PlatformName, type RequestStatus, requestStatuses } from '../../database/column-types.ts'
import type { Account } from '../../http/callers.ts'
import { dateParameter, parseDate } from '../../http/dates.ts'
import { closed, oneOf, trimmedText } from '../../http/schemas.ts'
import { storedPlatformNames } from '../../platforms/registry.ts'
import { sharedView, type View, viewOf } from '../view.ts'
import { includes } from '../views/include.ts'

/** The filters of a list, search or export. All given ones must match. */
export interface RequestFilters {
  /** In any equivalent spelling. */
  topic?: string | undefined
  platforms?: readonly PlatformName[] | undefined
  /** Matches any of these, in lower case. Requests whose source is not one product never match. */
  products?: readonly string[] | undefined
  /** All must match, in the platform's spelling. */
  tags?: readonly string[] | undefined
  minVotes?: number | undefined
  /** Inclusive. Uses the platform's date, else when the request entered the cache. */
  since?: Date | undefined
  /** Exclusive. */
  until?: Date | undefined
  /** Matches any of these, never a request without a status. */
  status?: readonly RequestStatus[] | undefined
  /** The caller's view; defaults to the shared view of likely requests. */
  view?: View | undefined
}

/** The view of the filters; defaults to the shared one, which contains nothing of any account. */
export const filterView = ({ view = sharedView }: RequestFilters): View => view

const tag = trimmedText(1, 100, 'As the platform writes it')
const maxTags = 20
const product = trimmedText(1, 200, 'As `product` of a request has it; upper case is the same')
const maxProducts = 20

/** The classes to show besides likely requests. */
export const includeFilter = Type.Optional(
  oneOf(includes, {
    description:
      'Besides likely requests: `maybe` adds those that may be one, `all` also texts that are probably none; see `likelihood`',
  }),
)

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
  include: includeFilter,
}

export const bodyFilters = closed(
  {
    platforms: Type.Optional(Type.Array(oneOf(storedPlatformNames), { minItems: 1, maxItems: 100 })),
    products: Type.Optional(
      Type.Array(product, {
        minItems: 1,
        maxItems: maxProducts,
        description: 'Only requests of one of these products',
      }),
    ),
    tags: Type.Optional(
      Type.Array(tag, { minItems: 1, maxItems: maxTags, description: 'Only requests with all of these tags' }),
    ),
    status: Type.Optional(
      Type.Array(oneOf(requestStatuses), {
        minItems: 1,
        maxItems: 20,
        description: 'Only requests with one of these statuses',
      }),
    ),
    ...sharedFilters,
  },
  { description: 'Narrow the results; `platforms` beside `query` only says what an expansion collects from' },
)

export const queryFilters = {
  platforms: Type.Optional(
    Type.Unsafe<PlatformName[]>(
      Type.Array(Type.String({ maxLength: 500 }), {
        maxItems: 100,
        description: 'Comma list, or repeated',
        'x-words': storedPlatformNames,
      }),
    ),
  ),
  product: Type.Optional(
    Type.Array(product, {
      maxItems: maxProducts,
      description: 'Only requests of this product; repeated: of one of them',
    }),
  ),
  tag: Type.Optional(
    Type.Array(tag, { maxItems: maxTags, description: 'Only requests with this tag; repeated: with all of them' }),
  ),
  status: Type.Optional(
    Type.Unsafe<RequestStatus[]>(
      Type.Array(Type.String({ maxLength: 200 }), {
        maxItems: 20,
        description: `Only requests with one of these statuses: ${requestStatuses.join(', ')}. Comma list, or repeated`,
        'x-words': requestStatuses,
      }),
    ),
  ),
  ...sharedFilters,
}

const queryFiltersSchema = closed(queryFilters)

const distinct = <T>(values: readonly T[] | undefined) => values && [...new Set(values)]

/** Parses the filters of a body, with the view of the calling account. */
export function parseBodyFilters(
  { since, until, platforms, products, tags, status, include, ...others }: Static<typeof bodyFilters>,
  account: Pick<Account, 'accountId' | 'hasOwnView'>,
) {
  const filters: RequestFilters = {
    ...others,
    platforms: distinct(platforms),
    products: distinct(products?.map((name) => name.toLowerCase())),
    tags: distinct(tags),
    status: distinct(status),
    since: since === undefined ? undefined : parseDate(since),
    until: until === undefined ? undefined : parseDate(until),
    view: viewOf(account, include),
  }
  return filters
}

/** Parses the filters of a query string. */
export const parseQueryFilters = (
  { product: products, tag: tags, ...shared }: Static<typeof queryFiltersSchema>,
  account: Pick<Account, 'accountId' | 'hasOwnView'>,
) => parseBodyFilters({ ...shared, ...(products && { products }), ...(tags && { tags }) }, account)
