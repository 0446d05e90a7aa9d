import { sql } from 'kysely'
import { type Static, Type } from 'typebox'
import { personName, personOf } from '../../accounts/sessions/people.ts'
import type { PlatformName } from '../../database/column-types.ts'
import { standings } from '../../database/column-types.ts'
import type { Executor } from '../../database/open.ts'
import { isId } from '../../http/ids.ts'
import { named } from '../../http/openapi-components.ts'
import { cursorsOf, isPositionNumber, isPositionText, type PageInput, pageIn } from '../../http/pagination.ts'
import { closed, moment, nullable } from '../../http/schemas.ts'
import { readRequests, requestRecord } from '../record.ts'
import type { View } from '../view.ts'
import { type Corrector, isVisibleTo } from './corrections.ts'

export const correction = closed(
  {
    correctionId: Type.String({ description: 'What it is undone by, also when its request is gone' }),
    isRequest: Type.Boolean(),
    sourcePlatform: Type.String({ description: 'Platform identifier' }),
    madeBy: Type.String({ description: '`key <id>`, `session <id>` or `admin`' }),
    personName,
    correctedAt: moment('When it was made or last changed'),
    request: nullable(requestRecord),
  },
  named('Correction'),
)

/** Cursor: when the correction was made (microseconds since 1970) and its id. */
const cursors = cursorsOf<[correctedAt: number, correctionId: string]>(
  'corrections',
  (value): value is number => isPositionNumber(value) && value >= 0,
  isPositionText,
)

/** Lists a page of corrections, newest first. @throws ServiceError INVALID_REQUEST for a foreign cursor. */
export async function listCorrections(
  executor: Executor,
  { accountId, requestId, limit, cursor }: Corrector & PageInput & { requestId?: string | undefined },
): Promise<{ results: Static<typeof correction>[]; hasMore: boolean; cursor: string | null }> {
  const after = cursor === undefined ? null : cursors.decode(cursor)
  const from =
    after === null
      ? sql``
      : sql`and (stored.created_at, source_hash) <
          (timestamptz 'epoch' + ${after[0]}::bigint * interval '1 microsecond', ${after[1]})`
  if (requestId !== undefined && !isId(requestId)) return { results: [], hasMore: false, cursor: null }
  const of = requestId === undefined ? sql`` : sql`and stored.request_id = ${requestId}::uuid`
  const owner = accountId === null ? sql`stored.account_id is null` : sql`stored.account_id = ${accountId}`
  const { rows } = await sql<{
    correctionId: string
    isRequest: boolean
    sourcePlatform: PlatformName
    madeBy: string
    personName: string | null
    created_at: Date
    key: number
    visible_id: string | null
  }>`
    select source_hash as "correctionId", is_request as "isRequest", stored.platform as "sourcePlatform", made_by as "madeBy",
      ${personOf(sql`stored.made_by`)} as "personName", stored.created_at, (extract(epoch from stored.created_at) * 1000000)::bigint as key, requests.id as visible_id
    from request_corrections as stored left join requests on requests.id = stored.request_id and ${isVisibleTo(accountId)}
    where ${owner} ${of} ${from}
    order by stored.created_at desc, source_hash desc limit ${limit + 1}`.execute(executor)
  const { page, ...rest } = pageIn(rows, limit, ({ key, correctionId }) => cursors.encode([Number(key), correctionId]))
  const ids = page.flatMap(({ visible_id: id }) => id ?? [])
  const view: View = { account: accountId, least: standings.unlikely }
  const read = await readRequests(executor, ids, { fullText: false, view })
  const records = new Map(read.map((one) => [one._id, one]))
  return {
    results: page.map(({ created_at, key: _, visible_id: id, ...correction }) => ({
      ...correction,
      correctedAt: created_at.toISOString(),
      request: (id === null ? undefined : records.get(id)) ?? null,
    })),
    ...rest,
  }
}
