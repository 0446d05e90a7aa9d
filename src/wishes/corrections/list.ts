import { sql } from 'kysely'
import { personOf } from '../../accounts/sessions/people.ts'
import type { Executor } from '../../database/open.ts'
import { isId } from '../../http/ids.ts'
import { cursorsOf, isPositionNumber, type PageInput, pageIn } from '../../http/pagination.ts'
import { readRequests } from '../../requests/record.ts'
import { requestColumns, standingIn, type View } from '../../requests/view.ts'
import type { CorrectionKind } from './corrections.ts'

interface Row {
  correctionId: string
  kind: CorrectionKind
  from_wish_id: string
  to_wish_id: string
  madeBy: string
  personName: string | null
  created_at: Date
  undone_at: Date | null
  undoneBy: string | null
  sequence: string
  request_id: string | null
}

const cursors = cursorsOf<[sequence: number]>('wish corrections', (value): value is number => isPositionNumber(value))

/** The most voted moved request that the view shows. */
const movedRequest = (view: View) => sql`
  select requests.id from wish_moves as move
  join wish_placings as placed on placed.source_hash = move.source_hash
    and placed.account_id is not distinct from correction.account_id
  join requests on requests.id = placed.request_id
  where move.correction_id = correction.id and move.from_wish_id <> move.to_wish_id
    and (${view.account === null ? sql`true` : sql`${standingIn(view, requestColumns)} >= 0`})
  order by requests.votes desc, requests.id limit 1`

interface CorrectionsInput extends PageInput {
  accountId: string | null
  correctionId?: string
  wishId?: string | undefined
}

/**
 * One page of the corrections of an account or the operator, newest first, including undone ones.
 * @param wishId only current ones that concern this wish
 * @throws ServiceError INVALID_REQUEST for a cursor of another list.
 */
export async function listWishCorrections(
  executor: Executor,
  { accountId, correctionId, wishId, limit, cursor }: CorrectionsInput,
) {
  const after = cursor === undefined ? sql`` : sql`and sequence < ${cursors.decode(cursor)[0]}::bigint`
  if (wishId !== undefined && !isId(wishId)) return { results: [], hasMore: false, cursor: null }
  const of = correctionId === undefined ? sql`` : sql`and id = ${correctionId}::uuid`
  const ofWish =
    wishId === undefined ? sql`` : sql`and undone_at is null and ${wishId}::uuid in (from_wish_id, to_wish_id)`
  const view: View = { account: accountId, least: 0 }
  const owner = accountId === null ? sql`account_id is null` : sql`account_id = ${accountId}`
  const { rows } = await sql<Row>`
    select id as "correctionId", kind, from_wish_id, to_wish_id, made_by as "madeBy", ${personOf(sql`made_by`)} as "personName", created_at, undone_at,
      undone_by as "undoneBy", sequence, (${movedRequest(view)}) as request_id
    from wish_corrections as correction where ${owner} ${of} ${ofWish} ${after} order by sequence desc limit ${limit + 1}`.execute(
    executor,
  )
  const { page, ...rest } = pageIn(rows, limit, ({ sequence }) => cursors.encode([Number(sequence)]))
  const ids = [...new Set(page.flatMap(({ request_id: id }) => id ?? []))]
  const read = await readRequests(executor, ids, { fullText: false, view })
  const records = new Map(read.map((record) => [record._id, record]))
  return {
    results: page.map(({ correctionId, kind, madeBy, personName, undoneBy, ...row }) => ({
      correctionId,
      kind,
      wishId: kind === 'split' ? row.from_wish_id : row.to_wish_id,
      otherWishId: kind === 'split' ? row.to_wish_id : row.from_wish_id,
      madeBy,
      personName,
      correctedAt: row.created_at.toISOString(),
      undoneAt: row.undone_at?.toISOString() ?? null,
      undoneBy,
      request: (row.request_id === null ? undefined : records.get(row.request_id)) ?? null,
    })),
    ...rest,
  }
}
