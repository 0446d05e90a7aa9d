import { randomUUID } from 'node:crypto'
import { type RawBuilder, sql } from 'kysely'
import { takeLock } from '../../database/advisory-locks.ts'
import type { PlatformName } from '../../database/column-types.ts'
import type { Database } from '../../database/open.ts'
import { isId } from '../../http/ids.ts'
import { storedPlatformNames } from '../../platforms/registry.ts'
import { dayMs } from '../../runtime/durations.ts'
import {
  type IdentifiedRequest,
  type Identity,
  identitiesOf,
  identitiesOfAuthor,
  identitiesOfUrl,
} from '../identity.ts'
import { deleteRequests } from '../store/delete.ts'
import { suppress } from '../store/suppression.ts'
import { foldAllTopicCounts } from '../store/topic-counts.ts'
import { recount } from '../wish-numbers/recount.ts'
import { addChangedWords } from '../words/uncounted-texts.ts'
import { deletePurgedCorrections } from './purged-corrections.ts'

/** Selects requests that match all fields: at least one, and at most one of id, url, author and olderThanDays. */
export interface PurgeSelection {
  platform?: PlatformName
  olderThanDays?: number
  /** A request's `_id` or, with `platform`, its id there. */
  id?: string
  url?: string
  /** A handle with or without @, a name, or a profile URL. */
  author?: string
}

export interface PurgeInput extends PurgeSelection {
  suppress: boolean
  dryRun: boolean
  now: Date
}

export interface PurgeResult {
  /** The id for lifting the suppression; null if nothing was suppressed. */
  purgeId: string | null
  matched: Map<PlatformName, number>
  deleted: number
  samples: Match[]
}

interface Match extends IdentifiedRequest {
  id: string
  platform: PlatformName
  title: string
}

/** Rows scanned and deleted per statement: in the embedded backend, all other statements wait for it. */
const scannedRows = 250
const deletedRows = 100
const maxSamples = 5
const firstId = '00000000-0000-0000-0000-000000000000'

/** When a request was last collected, or seen unchanged if recorded. Must match the index expression. */
const refreshedAt = sql`greatest(updated_at, seen_at)`

/** The part of the selection that SQL can check. Checked again when a row is deleted. */
function conditionOf({ platform, olderThanDays, now }: PurgeSelection & { now: Date }): RawBuilder<boolean> {
  const ofPlatform = platform === undefined ? sql`true` : sql`platform = ${platform}`
  if (olderThanDays === undefined) return sql<boolean>`${ofPlatform}`
  return sql<boolean>`${ofPlatform} and ${refreshedAt} < ${new Date(now.getTime() - olderThanDays * dayMs)}::timestamptz`
}

const identityKey = ({ kind, value }: Identity) => `${kind}\0${value}`

/** The identities that the selection names; null if it names none, so the condition alone decides. */
function namedIdentities({ url, author }: PurgeSelection): Identity[] | null {
  if (url !== undefined) return identitiesOfUrl(url)
  return author === undefined ? null : identitiesOfAuthor(author)
}

const columns = sql`id, platform, title, source_id as "sourceId", source_url as "sourceUrl", author_name as "authorName",
  author_handle as "authorHandle", author_profile_url as "authorProfileUrl"`

/** Yields matches in slices. May miss rows added meanwhile. */
async function* findMatches(database: Database, selection: PurgeSelection & { now: Date }): AsyncGenerator<Match[]> {
  const condition = conditionOf(selection)
  if (selection.id !== undefined) {
    const { id, platform } = selection
    const own = isId(id) ? sql`id = ${id}::uuid` : sql`false`
    const theirs = platform === undefined ? sql`false` : sql`platform = ${platform} and source_id = ${id}`
    const { rows } = await sql<Match>`
      select ${columns} from requests where ((${own}) or (${theirs})) and ${condition}`.execute(database)
    yield rows
    return
  }
  const named = namedIdentities(selection)
  const keys = named === null ? null : new Set(named.map(identityKey))
  for (let after = firstId; ; ) {
    // Limit the slice before filtering, so that its cost is bounded even if few rows match.
    const { rows } = await sql<{ last: string | null; matches: Match[] }>`
      with slice as materialized (
        select updated_at, seen_at, ${columns} from requests where id > ${after}::uuid order by id limit ${scannedRows}
      )
      select (select id from slice order by id desc limit 1) as last,
        (select coalesce(json_agg(fitting), '[]') from (
          select * from slice where ${condition}) as fitting) as matches`.execute(database)
    const { last, matches } = rows[0] ?? { last: null, matches: [] }
    if (last === null) return
    yield keys === null ? matches : matches.filter((row) => identitiesOf(row).some((one) => keys.has(identityKey(one))))
    after = last
  }
}

interface Slice {
  purgeId: string
  matches: readonly Match[]
  input: PurgeInput
}

/** Deletes and suppresses in one transaction, so that no later page can store the requests again. */
const deleteSlice = (database: Database, { purgeId, matches, input }: Slice): Promise<number> =>
  database.transaction().execute(async (transaction) => {
    const identities = matches.map(({ platform, sourceId }) => ({ platform, kind: 'id' as const, value: sourceId }))
    if (input.suppress) {
      await suppress(transaction, { purgeId, identities, named: input.id !== undefined, now: input.now })
    }
    // Must precede the request locks.
    await takeLock(transaction, 'memberships')
    const ids = matches.map((match) => match.id)
    // Locked in the order of pages, to avoid deadlocks with them.
    const chosen = sql<{ id: string }>`
      select id from requests where id = any(${ids}::uuid[]) and ${conditionOf(input)}
      order by platform, source_id for update`
    const { deleted, wishes } = await deleteRequests(transaction, chosen)
    await recount(transaction, wishes, await deletePurgedCorrections(transaction, identities))
    return deleted
  })

/** Suppresses the named identities before deleting, so that a page stored during the scan cannot bring them back. */
async function suppressNamed(database: Database, purgeId: string, input: PurgeInput): Promise<void> {
  const { id, platform, now } = input
  const theirId = id !== undefined && platform !== undefined && !isId(id)
  const named = theirId ? [{ kind: 'id' as const, value: id }] : (namedIdentities(input) ?? [])
  const platforms = platform === undefined ? storedPlatformNames : [platform]
  const identities = platforms.flatMap((name) => named.map((identity) => ({ ...identity, platform: name })))
  await database.transaction().execute(async (transaction) => {
    await suppress(transaction, { purgeId, identities, named: true, now })
    // For requests not stored (e.g. expired). Corrections of stored requests are deleted with them.
    await recount(transaction, await deletePurgedCorrections(transaction, identities))
  })
}

/** Deletes matching requests in slices, for good with `suppress`. After a failure, repeat to delete the rest. */
export async function purgeRequests(database: Database, input: PurgeInput): Promise<PurgeResult> {
  const purgeId = randomUUID()
  const matched = new Map<PlatformName, number>()
  const samples: Match[] = []
  let deleted = 0
  if (input.suppress && !input.dryRun) await suppressNamed(database, purgeId, input)
  for await (const matches of findMatches(database, input)) {
    for (const match of matches) matched.set(match.platform, (matched.get(match.platform) ?? 0) + 1)
    samples.push(...matches.slice(0, maxSamples - samples.length))
    for (let start = 0; start < matches.length && !input.dryRun; start += deletedRows) {
      deleted += await deleteSlice(database, { purgeId, matches: matches.slice(start, start + deletedRows), input })
    }
  }
  // Makes derived data forget the tags and words of deleted requests.
  if (deleted > 0) {
    await foldAllTopicCounts(database)
    await addChangedWords(database)
  }
  const { rows } = await sql`select 1 from suppressions where purge_id = ${purgeId} limit 1`.execute(database)
  return { purgeId: rows.length > 0 ? purgeId : null, matched, deleted, samples }
}
