import { type Selectable, sql } from 'kysely'
import { accountExists } from '../../accounts/accounts.ts'
import type { Executor, Transaction } from '../../database/open.ts'
import type { Tables } from '../../database/tables.ts'
import { notFound, ServiceError } from '../../http/errors.ts'
import { isId } from '../../http/ids.ts'
import { type Composed, wholeDocument } from './compose.ts'
import { joinParts, type Part, snapshotOf } from './parts.ts'
import type { Brief, BriefDocument, NewBrief } from './schemas.ts'

export const maxBriefs = 200

export type BriefRow = Omit<Selectable<Tables['briefs']>, 'head'> & { left: number }

const summaryColumns = sql`briefs.id, account_id, snapshot, request, parts, created_at,
  (select count(*)::integer from brief_parts where brief_id = briefs.id) as left`

export const describeBrief = ({ id, snapshot, request, parts, left, created_at }: BriefRow) => ({
  briefId: id,
  snapshot,
  request,
  removed: parts - left,
  createdAt: created_at.toISOString(),
})

/** The parts whose requests all still exist. Locks those: deleting one waits, then also deletes the stored part. */
async function keepStored(transaction: Transaction, parts: readonly Part[]): Promise<ReadonlyMap<number, Part>> {
  const ids = [...new Set(parts.flatMap(({ requestIds }) => requestIds))]
  const { rows } = await sql<{ id: string }>`
    select id from requests where id = any(${ids}::uuid[]) order by platform, source_id for key share`.execute(
    transaction,
  )
  const stored = new Set(rows.map(({ id }) => id))
  return new Map([...parts.entries()].filter(([, { requestIds }]) => requestIds.every((id) => stored.has(id))))
}

/** Stores a brief, minus what was deleted meanwhile. @throws ServiceError NOT_FOUND (account), CONFLICT */
export async function createBrief(
  transaction: Transaction,
  { accountId, request, composed, now }: { accountId: string; request: NewBrief; composed: Composed; now: Date },
): Promise<BriefRow> {
  const { head, parts } = composed
  // Requests are locked before the account, as everywhere.
  const stored = await keepStored(transaction, parts)
  // Serializes an account's new briefs, so that the maximum holds.
  await sql`select from accounts where id = ${accountId} for no key update`.execute(transaction)
  if (!(await accountExists(transaction, accountId))) throw notFound('Account')
  const { rows } = await sql<{ briefs: number }>`
    select count(*)::integer as briefs from briefs where account_id = ${accountId}`.execute(transaction)
  if ((rows[0]?.briefs ?? 0) >= maxBriefs)
    throw new ServiceError('CONFLICT', `The account has ${maxBriefs} briefs, which is the maximum. Delete some first.`)
  const made = await transaction
    .insertInto('briefs')
    .values({
      account_id: accountId,
      snapshot: snapshotOf(wholeDocument(composed)),
      request: JSON.stringify(request),
      head: JSON.stringify(head),
      parts: parts.length,
      created_at: now,
    })
    .returningAll()
    .executeTakeFirstOrThrow()
  const rowsOfParts = [...stored].map(([part, { requestIds, content }]) => ({ part, request_ids: requestIds, content }))
  await sql`
    insert into brief_parts (brief_id, part, request_ids, content)
    select ${made.id}, part, array(select jsonb_array_elements_text(request_ids)::uuid), content
    from jsonb_to_recordset(${JSON.stringify(rowsOfParts)}::jsonb) as part (part integer, request_ids jsonb, content jsonb)`.execute(
    transaction,
  )
  return { ...made, left: stored.size }
}

/** The briefs of an account, newest first. */
export async function listBriefs(executor: Executor, accountId: string): Promise<BriefRow[]> {
  const { rows } = await sql<BriefRow>`
    select ${summaryColumns} from briefs where account_id = ${accountId} order by created_at desc, id desc`.execute(
    executor,
  )
  return rows
}

async function readWhere(executor: Executor, condition: ReturnType<typeof sql>): Promise<Brief | null> {
  // One statement: with two, a purge in between would make the number of removed parts wrong.
  const { rows } = await sql<BriefRow & { head: unknown; contents: { part: number; content: unknown }[] }>`
    select ${summaryColumns}, head, (select coalesce(json_agg(json_build_object('part', part, 'content', content)), '[]')
      from brief_parts where brief_id = briefs.id) as contents
    from briefs where ${condition} order by created_at desc limit 1`.execute(executor)
  const row = rows[0]
  if (row === undefined) return null
  const contents = new Map(row.contents.map(({ part, content }) => [part, content]))
  return { ...describeBrief(row), document: joinParts(row.head, contents) as BriefDocument }
}

/** Reads a brief as made, minus what was deleted since; null if the account has none with this id. */
export const readBrief = async (executor: Executor, accountId: string, briefId: string): Promise<Brief | null> =>
  isId(briefId) ? readWhere(executor, sql`id = ${briefId} and account_id = ${accountId}`) : null

/** The newest brief of an account with this snapshot. */
export const readBriefOfSnapshot = (executor: Executor, accountId: string, snapshot: string): Promise<Brief | null> =>
  readWhere(executor, sql`snapshot = ${snapshot} and account_id = ${accountId}`)

/** Deletes a brief and its shares. @returns false if the account has none with this id. */
export async function deleteBrief(executor: Executor, accountId: string, briefId: string): Promise<boolean> {
  if (!isId(briefId)) return false
  const { rows } = await sql`
    delete from briefs where id = ${briefId} and account_id = ${accountId} returning 1`.execute(executor)
  return rows.length > 0
}

/** Deletes the briefs of a deleted account. */
export async function deleteBriefsOf(transaction: Transaction, accountId: string): Promise<void> {
  await sql`delete from briefs where account_id = ${accountId}`.execute(transaction)
}
