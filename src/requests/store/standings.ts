import { hash } from 'node:crypto'
import { sql } from 'kysely'
import { type PlatformName, type Standing, standings } from '../../database/column-types.ts'
import type { Transaction } from '../../database/open.ts'
import { wishClassOf } from '../detection/detect.ts'
import { hashIdentity } from '../identity.ts'
import { type Strictness, thresholdsBy } from '../views/strictness.ts'
import { queuePlacing } from '../wish-numbers/recount.ts'
import { countListings } from '../words/uncounted-texts.ts'
import { noteSearchChanges } from './changes.ts'
import { refreshCopies } from './copies.ts'

/** The class of a listed request, or of one an account sees. */
export type ClassStanding = Exclude<Standing, -1>

const standingOfClass = { likely: 2, maybe: 1, unlikely: 0 } as const

/** The standing of a confidence, rounded as the column stores it so that both agree. */
export const standingOfConfidence = (
  confidence: number,
  platform: PlatformName,
  strictness: Strictness = 'usual',
): ClassStanding => standingOfClass[wishClassOf(Math.fround(confidence), platform, thresholdsBy(strictness))]

/** Corrections refer to a request by the hash of its platform and id, so that they survive its deletion. */
export const correctionHash = (platform: PlatformName, sourceId: string): string =>
  hashIdentity(platform, { kind: 'id', value: sourceId })

/** The hash of a judged text. A judgement counts only while the text has it (`request_judgements.text_hash`). */
export const judgedTextHash = ({ title, description }: { title: string; description: string }): string =>
  hash('sha256', `${title}\0${description}`)

interface Facts {
  id: string
  platform: PlatformName
  source_id: string
  standing: Standing
  confidence: number
  is_unlisted: boolean
  judgement: { text_hash: string; confidence: number; is_chore: boolean } | null
  /** Set only with a judgement. */
  judged_title: string | null
  judged_description: string | null
}

interface Correction {
  account_id: string | null
  source_hash: string
  is_request: boolean
}

const standingOfCorrection = ({ is_request }: Correction): ClassStanding => (is_request ? 2 : 0)

/** The judgement, if it is of exactly this text. */
function judgementOf({ judgement, judged_title: title, judged_description: description }: Facts) {
  const hash = judgement && judgedTextHash({ title: title ?? '', description: description ?? '' })
  return judgement?.text_hash === hash ? judgement : null
}

/** The shared class: the operator's correction, else a model's judgement of this very text, else detection. */
function sharedClass(facts: Facts, operators: Correction | undefined): ClassStanding {
  if (operators) return standingOfCorrection(operators)
  return standingOfConfidence((judgementOf(facts) ?? facts).confidence, facts.platform)
}

/** The strict accounts. Read it under the requests' locks, for which reclassification waits. */
export async function readStrictAccounts(transaction: Transaction): Promise<ReadonlySet<string>> {
  const { rows } = await sql<{ id: string }>`select id from accounts where is_strict`.execute(transaction)
  return new Set(rows.map(({ id }) => id))
}

/** The class for strict accounts. The operator's corrections and chores apply to them as to all. */
function strictClass(facts: Facts, shared: ClassStanding, isCorrected: boolean): ClassStanding {
  const judgement = judgementOf(facts)
  if (isCorrected || judgement?.is_chore) return shared
  return standingOfConfidence((judgement ?? facts).confidence, facts.platform, 'strict')
}

interface OwnStanding {
  account_id: string
  request_id: string
  standing: ClassStanding
}

/** Standings of accounts that differ from the shared one. @param viewers accounts that named its source */
function ownStandingsOf(
  { id: request_id, is_unlisted }: Facts,
  shared: ClassStanding,
  own: ReadonlyMap<string, ClassStanding>,
  viewers: ReadonlySet<string>,
): OwnStanding[] {
  if (is_unlisted)
    return [...viewers].map((account_id) => ({ account_id, request_id, standing: own.get(account_id) ?? shared }))
  return [...own].flatMap(([account_id, standing]) =>
    standing === shared ? [] : [{ account_id, request_id, standing }],
  )
}

/** Locks the requests in the order of all writers. */
async function lockFacts(transaction: Transaction, ids: readonly string[]): Promise<Facts[]> {
  // `offset 0` keeps the planner from hashing the whole table for each page of an import.
  const { rows } = await sql<Facts>`
    select id, platform, source_id, standing, requests.confidence,
      exists (select from request_sources where request_sources.request_id = id offset 0) as is_unlisted,
      case when judgement.request_id is null then null
        else json_build_object('text_hash', text_hash, 'confidence', judgement.confidence,
          'is_chore', recurring_title is not null) end as judgement,
      case when judgement.request_id is null then null else title end as judged_title,
      case when judgement.request_id is null then null else description end as judged_description
    from requests left join request_judgements as judgement on judgement.request_id = id
    where id = any(${ids}::uuid[]) order by platform, source_id for no key update of requests`.execute(transaction)
  return rows
}

async function readCorrections(
  transaction: Transaction,
  hashes: readonly string[],
): Promise<Map<string, Correction[]>> {
  const { rows } = await sql<Correction>`
    select account_id, source_hash, is_request from request_corrections
    where source_hash = any(${hashes}::text[])`.execute(transaction)
  return Map.groupBy(rows, (correction) => correction.source_hash)
}

async function readViewers(transaction: Transaction, facts: readonly Facts[]): Promise<Map<string, Set<string>>> {
  const viewers = new Map<string, Set<string>>()
  const unlisted = facts.filter((request) => request.is_unlisted).map(({ id }) => id)
  if (unlisted.length === 0) return viewers
  const { rows } = await sql<{ request_id: string; account_id: string }>`
    select request_id, account_id from request_sources join account_sources using (platform, source)
    where request_id = any(${unlisted}::uuid[])`.execute(transaction)
  for (const { request_id, account_id } of rows) {
    const accounts = viewers.get(request_id) ?? new Set()
    viewers.set(request_id, accounts.add(account_id))
  }
  return viewers
}

async function writeStandings(transaction: Transaction, changed: readonly { id: string; standing: Standing }[]) {
  if (changed.length === 0) return
  await sql`
    update requests set standing = fresh.standing
    from jsonb_to_recordset(${JSON.stringify(changed)}::jsonb) as fresh (id uuid, standing smallint)
    where requests.id = fresh.id`.execute(transaction)
}

async function setOwnView(transaction: Transaction, accounts: readonly string[]): Promise<void> {
  if (accounts.length === 0) return
  await sql`
    update accounts set has_own_view = true where id = any(array(
      select id from accounts where id = any(${accounts}::uuid[]) and not has_own_view order by id for no key update))`.execute(
    transaction,
  )
}

/** Replaces these requests' rows of `account_requests`, skipping unchanged ones. @returns the rows written */
async function writeViews(transaction: Transaction, ids: readonly string[], views: readonly OwnStanding[]) {
  // Lock accounts before their rows: deleting an account locks its row, then deletes its rows without request locks.
  await setOwnView(transaction, [...new Set(views.map(({ account_id }) => account_id))])
  await sql`
    select from account_requests where request_id = any(${ids}::uuid[]) order by account_id, request_id for update`.execute(
    transaction,
  )
  const fresh = sql`jsonb_to_recordset(${JSON.stringify(views)}::jsonb)
    as fresh (account_id uuid, request_id uuid, standing smallint)`
  const { rows: deleted } = await sql<Pick<OwnStanding, 'request_id'>>`
    delete from account_requests as stored where request_id = any(${ids}::uuid[]) and not exists (
      select from ${fresh} where fresh.account_id = stored.account_id and fresh.request_id = stored.request_id
    ) returning request_id`.execute(transaction)
  if (views.length === 0) return { deleted, written: [] }
  const { rows: written } = await sql<Pick<OwnStanding, 'request_id' | 'standing'>>`
    insert into account_requests as stored (account_id, request_id, standing)
    select account_id, request_id, standing from ${fresh} order by account_id, request_id
    on conflict (account_id, request_id) do update set standing = excluded.standing
    where stored.standing <> excluded.standing returning request_id, standing`.execute(transaction)
  return { deleted, written }
}

/** An unlisted request that this transaction stored and that has no stored corrections. */
export interface FreshRequest {
  id: string
  platform: PlatformName
  source: string
  confidence: number
}

/** Bulk `recomputeStandings` for fresh requests: stores how the accounts that named their sources see them. */
export async function viewFresh(transaction: Transaction, fresh: readonly FreshRequest[]): Promise<void> {
  const [first] = fresh
  if (first === undefined) return
  const sources = [...new Set(fresh.map(({ source }) => source))]
  const { rows } = await sql<{ source: string; account_id: string }>`
    select source, account_id from account_sources
    where platform = ${first.platform} and source = any(${sources}::text[])`.execute(transaction)
  const viewers = Map.groupBy(rows, ({ source }) => source)
  const strict = await readStrictAccounts(transaction)
  const views = fresh.flatMap(({ id: request_id, platform, source, confidence }) =>
    (viewers.get(source) ?? []).map(({ account_id }): OwnStanding => {
      const standing = standingOfConfidence(confidence, platform, strict.has(account_id) ? 'strict' : 'usual')
      return { account_id, request_id, standing }
    }),
  )
  if (views.length === 0) return
  await setOwnView(transaction, [...new Set(rows.map(({ account_id }) => account_id))])
  await sql`
    insert into account_requests (account_id, request_id, standing)
    select account_id, request_id, standing from jsonb_to_recordset(${JSON.stringify(views)}::jsonb)
      as view (account_id uuid, request_id uuid, standing smallint) order by account_id, request_id`.execute(
    transaction,
  )
}

/**
 * Derives these requests' shared standing and account differences from confidence, judgement, corrections, named
 * sources and strictness. Call it after changing any of these, in the same transaction. Unknown ids are ignored.
 *
 * It locks the requests. The caller must lock them itself before reading or writing anything that standings depend on,
 * and before locking rows of accounts or jobs.
 */
export async function recomputeStandings(transaction: Transaction, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return
  const facts = await lockFacts(transaction, ids)
  const corrections = await readCorrections(
    transaction,
    facts.map(({ platform, source_id }) => correctionHash(platform, source_id)),
  )
  const viewers = await readViewers(transaction, facts)
  const strict = await readStrictAccounts(transaction)
  const changed: { id: string; standing: Standing }[] = []
  const listings: { id: string; isListed: boolean }[] = []
  const views: OwnStanding[] = []
  for (const request of facts) {
    const { id, platform, source_id, is_unlisted } = request
    const all = corrections.get(correctionHash(platform, source_id)) ?? []
    const operators = all.find(({ account_id }) => account_id === null)
    const shared = sharedClass(request, operators)
    const standing = is_unlisted ? -1 : shared
    if (standing !== request.standing) changed.push({ id, standing })
    if (is_unlisted !== (request.standing === standings.unlisted)) listings.push({ id, isListed: !is_unlisted })
    const strictly = strictClass(request, shared, operators !== undefined)
    const own = new Map([...strict].map((account) => [account, strictly]))
    for (const made of all) if (made.account_id !== null) own.set(made.account_id, standingOfCorrection(made))
    views.push(...ownStandingsOf(request, shared, own, viewers.get(id) ?? new Set()))
  }
  await writeStandings(transaction, changed)
  const { deleted, written } = await writeViews(transaction, ids, views)
  await refreshCopies(transaction, ids)
  const likely = [
    ...changed.flatMap(({ id, standing }) => (standing === standings.likely ? [id] : [])),
    ...written.flatMap(({ request_id, standing }) => (standing === standings.likely ? [request_id] : [])),
  ]
  await queuePlacing(transaction, [...new Set(likely)])
  await noteSearchChanges(transaction, [...new Set([...deleted, ...written].map(({ request_id }) => request_id))])
  await countListings(transaction, listings)
}
