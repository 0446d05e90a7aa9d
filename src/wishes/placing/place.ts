import { sql } from 'kysely'
import { takeLock } from '../../database/advisory-locks.ts'
import { type ClaimedRow, lockClaims, releaseClaims } from '../../database/claimed-work.ts'
import type { PlatformName, Standing } from '../../database/column-types.ts'
import type { Database, Transaction } from '../../database/open.ts'
import { lockRequests } from '../../requests/store/request-locks.ts'
import { correctionHash } from '../../requests/store/standings.ts'
import { queuePlacing, recount, type WishChanges } from '../../requests/wish-numbers/recount.ts'
import { writeSuggestions } from '../suggestions/store.ts'
import type { Target } from './targets.ts'

/** A claimed request with the wishes it may join, most similar first. */
export interface Proposal {
  claim: ClaimedRow
  targets: readonly Target[]
  /** Requests with the same recurring title: they join nothing, and leave what they joined before. */
  recurring?: readonly string[]
  /** Possibly equal wishes that are not joined. */
  similar?: readonly Target[]
}

interface Present {
  id: string
  platform: PlatformName
  source_id: string
  standing: Standing
  /** Likely for all, or for some account. */
  is_likely: boolean
  /** Null for a wish by itself. */
  wish_id: string | null
  is_core: boolean | null
}

interface Membership {
  request_id: string
  wish_id: string
  is_core: boolean
  similarity: number
}

async function readPresent(transaction: Transaction, ids: readonly string[]): Promise<Map<string, Present>> {
  const { rows } = await sql<Present>`
    select id, platform, source_id, standing, wish_id, is_core, standing = 2 or exists (
      select from account_requests as own where own.request_id = id and own.standing = 2) as is_likely
    from requests left join wish_members on request_id = id where id = any(${ids}::uuid[])`.execute(transaction)
  return new Map(rows.map((row) => [row.id, row]))
}

const hashOf = ({ platform, source_id }: Pick<Present, 'platform' | 'source_id'>) => correctionHash(platform, source_id)

/** The hashes that the operator parted from each hash. */
async function readPartings(transaction: Transaction, hashes: readonly string[]): Promise<Map<string, Set<string>>> {
  const { rows } = await sql<{ hash: string; parted: string }>`
    select one_hash as hash, other_hash as parted from wish_partings
    where account_id is null and not is_skipped and one_hash = any(${hashes}::text[])
    union all
    select other_hash, one_hash from wish_partings
    where account_id is null and not is_skipped and other_hash = any(${hashes}::text[])`.execute(transaction)
  const parted = new Map<string, Set<string>>()
  for (const row of rows) parted.set(row.hash, (parted.get(row.hash) ?? new Set()).add(row.parted))
  return parted
}

export async function readMemberHashes(transaction: Transaction, wishId: string): Promise<string[]> {
  const { rows } = await sql<Pick<Present, 'platform' | 'source_id'>>`
    select platform, source_id from requests where id = ${wishId} or id in (
      select request_id from wish_members where wish_id = ${wishId})`.execute(transaction)
  return rows.map(hashOf)
}

/** Decides on requests one by one; each decision sees the earlier ones. */
function createDecisions(
  transaction: Transaction,
  present: Map<string, Present>,
  partings: ReadonlyMap<string, ReadonlySet<string>>,
) {
  const memberships: Membership[] = []
  const join = (request: Present, wishId: string, isCore: boolean, similarity: number) => {
    memberships.push({ request_id: request.id, wish_id: wishId, is_core: isCore, similarity })
    present.set(request.id, { ...request, wish_id: wishId, is_core: isCore })
  }
  /** Considers members that joined in this transaction, not stored yet. */
  const isParted = async (request: Present, wishId: string, core: Present) => {
    const parted = partings.get(hashOf(request))
    if (parted === undefined) return false
    const joined = memberships
      .filter((one) => one.wish_id === wishId)
      .map((one) => hashOf(present.get(one.request_id)!))
    const hashes = [hashOf(core), ...joined, ...(await readMemberHashes(transaction, wishId))]
    return hashes.some((hash) => parted.has(hash))
  }
  /** @returns false if the state changed, so that targets must be found again. */
  const decide = async ({ claim, targets }: Proposal): Promise<boolean> => {
    const request = present.get(claim.id)
    if (request === undefined || !request.is_likely || request.wish_id !== null) return true
    let isStale = false
    for (const { coreId, similarity } of targets) {
      const core = present.get(coreId)
      const isAlone = core?.wish_id === null && core.standing === 2
      const isCore = core?.is_core === true && core.standing >= 0
      if (core === undefined || !(isAlone || isCore)) {
        isStale = true
        continue
      }
      const wishId = core.wish_id ?? core.id
      if (await isParted(request, wishId, core)) continue
      if (isAlone) join(core, wishId, true, 1)
      join(request, wishId, false, similarity)
      return true
    }
    return !isStale
  }
  return { decide, memberships }
}

/** Takes requests out of wishes that placing chose and queues them again. People's corrections stay. */
async function partRecurring(transaction: Transaction, ids: readonly string[]): Promise<WishChanges> {
  if (ids.length === 0) return {}
  const { rows } = await sql<{ request_id: string; wish_id: string }>`
    delete from wish_members where request_id = any(${ids}::uuid[]) and similarity is not null
    returning request_id, wish_id`.execute(transaction)
  const requests = rows.map((row) => row.request_id)
  await queuePlacing(transaction, requests)
  return { requests, left: rows.map((row) => row.wish_id) }
}

async function writeMemberships(transaction: Transaction, memberships: readonly Membership[]): Promise<void> {
  if (memberships.length === 0) return
  const wishIds = [...new Set(memberships.map(({ wish_id }) => wish_id))]
  await sql`
    insert into wishes (id) select id from unnest(${wishIds}::uuid[]) as id on conflict do nothing`.execute(transaction)
  await sql`
    insert into wish_members (request_id, wish_id, is_core, similarity)
    select * from jsonb_to_recordset(${JSON.stringify(memberships)}::jsonb)
      as fresh (request_id uuid, wish_id uuid, is_core boolean, similarity real)`.execute(transaction)
}

/** Queues the cores of wishes for comparison. */
export const queueCores = (transaction: Transaction, wishIds: readonly string[]) =>
  sql`
  insert into wish_queue (request_id)
  select request_id from wish_members where is_core and wish_id = any(${[...wishIds]}::uuid[]) order by wish_id
  on conflict do nothing`.execute(transaction)

export interface Placed {
  /** How many requests without a wish left the queue. */
  placed: number
  /** How many of them joined a wish; the others are wishes by themselves. */
  joined: number
  /** Claimed cores of wishes that now resemble others. */
  alike: { coreId: string; targets: readonly Target[] }[]
}

/** Places claimed requests in a short transaction, rechecking proposals and retrying those with changed targets. */
export const placeRequests = (database: Database, proposals: readonly Proposal[]): Promise<Placed> =>
  database.transaction().execute(async (transaction) => {
    await takeLock(transaction, 'memberships')
    const claims = proposals.map(({ claim }) => claim)
    // Before their queue rows, as pages do.
    await lockRequests(
      transaction,
      proposals.flatMap(({ claim, targets, similar = [], recurring = [] }) => [
        claim.id,
        ...recurring,
        ...[...targets, ...similar].map(({ coreId }) => coreId),
      ]),
    )
    const held = await lockClaims(transaction, 'wish_queue', claims)
    const valid = proposals.filter(({ claim }) => held.has(claim.token))
    if (valid.length === 0) return { placed: 0, joined: 0, alike: [] }
    const parted = await partRecurring(
      transaction,
      valid.flatMap(({ recurring = [] }) => recurring),
    )
    const ids = valid.flatMap(({ claim, targets }) => [claim.id, ...targets.map(({ coreId }) => coreId)])
    const present = await readPresent(transaction, [...new Set(ids)])
    const known = new Set([...present.values()].flatMap((one) => (one.wish_id === null ? [] : [one.id])))
    const joining = valid
      .filter(({ targets }) => targets.length > 0)
      .flatMap(({ claim }) => present.get(claim.id) ?? [])
    const partings = joining.length === 0 ? new Map() : await readPartings(transaction, joining.map(hashOf))
    const { decide, memberships } = createDecisions(transaction, present, partings)
    const [done, stale]: [ClaimedRow[], ClaimedRow[]] = [[], []]
    for (const proposal of valid) ((await decide(proposal)) ? done : stale).push(proposal.claim)
    await writeMemberships(transaction, memberships)
    const joined = memberships.map(({ request_id }) => request_id)
    await sql`delete from wish_queue where request_id = any(${done.map(({ id }) => id)}::uuid[])`.execute(transaction)
    await releaseClaims(transaction, 'wish_queue', stale)
    // The wishes may now resemble others. `left`: a single request was a wish with its own id.
    await queueCores(transaction, [...new Set(memberships.map(({ wish_id }) => wish_id))])
    await recount(transaction, { requests: joined, left: joined }, parted)
    await writeSuggestions(
      transaction,
      valid.map(({ claim }) => claim.id),
      valid.flatMap(({ claim, similar = [] }) =>
        similar.map(({ coreId, similarity }) => ({ requestId: claim.id, otherId: coreId, similarity })),
      ),
    )
    const isCore = ({ claim, targets }: Proposal) => targets.length > 0 && present.get(claim.id)?.is_core === true
    const alike = valid.filter(isCore).map(({ claim, targets }) => ({ coreId: claim.id, targets }))
    return {
      placed: done.filter(({ id }) => !known.has(id)).length,
      joined: memberships.filter(({ is_core }) => !is_core).length,
      alike,
    }
  })
