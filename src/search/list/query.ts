import { type Static, Type } from 'typebox'
import type { Account } from '../../http/callers.ts'
import { notFound } from '../../http/errors.ts'
import { isId } from '../../http/ids.ts'
import { pageParameters } from '../../http/pagination.ts'
import { closed } from '../../http/schemas.ts'
import { parseQueryFilters, queryFilters } from '../../requests/filters/filters.ts'
import type { ListFilters } from './index-scan.ts'

export interface JobOwnership {
  /** Whether the scrape job belongs to the account, which may then list its requests. */
  ownsJob(accountId: string, jobId: string): Promise<boolean>
}

/** @throws ServiceError NOT_FOUND, with the same text for an unknown job and another account's. */
export async function requireOwnJob(
  { ownsJob }: JobOwnership,
  accountId: string,
  jobId: string | undefined,
): Promise<void> {
  if (jobId === undefined) return
  if (!isId(jobId) || !(await ownsJob(accountId, jobId))) throw notFound('Scrape job')
}

/** The filters and cursor of a list or export. */
export const listQuery = {
  ...queryFilters,
  jobId: Type.Optional(Type.String({ maxLength: 100, description: 'Only what this job found' })),
  cursor: pageParameters.cursor,
}

const { cursor: _cursor, ...filterProperties } = listQuery
const filtersSchema = closed(filterProperties)

/** Parses the filters of a query string. @throws ServiceError INVALID_REQUEST for an unknown platform or status. */
export const parseListFilters = ({ jobId, ...query }: Static<typeof filtersSchema>, account: Account): ListFilters => ({
  ...parseQueryFilters(query, account),
  jobId,
})
