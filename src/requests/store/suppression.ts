import { sql } from 'kysely'
import { Type } from 'typebox'
import { takeLock, takeSharedLock } from '../../database/advisory-locks.ts'
import type { IdentityKind, PlatformName } from '../../database/column-types.ts'
import type { Database, Executor, Transaction } from '../../database/open.ts'
import { oneOf, trimmedText } from '../../http/schemas.ts'
import { invalidField } from '../../http/validation.ts'
import { storedPlatformNames } from '../../platforms/registry.ts'
import {
  hashIdentity,
  type IdentifiedRequest,
  type Identity,
  identitiesOf,
  identitiesOfAuthor,
  identitiesOfUrl,
} from '../identity.ts'

/** The fields of a body that select requests to purge, or suppressions to lift. */
export const selectionFields = {
  // Includes disabled platforms, whose requests may still be stored.
  platform: Type.Optional(oneOf(storedPlatformNames, { description: 'Only what is from there' })),
  url: Type.Optional(
    trimmedText(
      1,
      2_000,
      'Where it was posted; scheme, `www.`, closing slash, fragment and order of parameters do not count',
    ),
  ),
  author: Type.Optional(
    trimmedText(1, 500, 'A handle (`@ada` or `ada`), a whole name, in any case, or the address of a profile'),
  ),
}

export const purgeId = Type.String({ description: 'What the suppression is lifted by' })

/** Requires at most one, or exactly one, of the exclusive fields. @throws ServiceError INVALID_REQUEST */
export function requireOne(body: Record<string, unknown>, exclusive: readonly string[], isRequired: boolean): void {
  const [first, second] = exclusive.filter((field) => body[field] !== undefined)
  if (second !== undefined) throw invalidField(second, `cannot be combined with ${first}`)
  if (isRequired && first === undefined) throw invalidField('', `name one of ${exclusive.join(', ')}`)
}

/** Rejects a URL or author that cannot identify anything. @throws ServiceError INVALID_REQUEST */
export function requireComparable({ url, author }: { url?: string; author?: string }): void {
  if (url !== undefined && identitiesOfUrl(url).length === 0) {
    throw invalidField('url', 'must be a web address, https://…')
  }
  if (author !== undefined && identitiesOfAuthor(author).length === 0) {
    throw invalidField('author', 'must be a handle, a name or the address of a profile')
  }
}

/**
 * Finds the source ids that a page must not store. Call before storing: the shared lock keeps the list unchanged, so
 * either the purge sees the row or the page sees the suppression.
 */
export async function findSuppressed(
  transaction: Transaction,
  platform: PlatformName,
  requests: readonly IdentifiedRequest[],
): Promise<Set<string>> {
  const sourceIdOf = new Map<string, string[]>()
  for (const request of requests) {
    for (const identity of identitiesOf(request)) {
      const hash = hashIdentity(platform, identity)
      sourceIdOf.set(hash, [...(sourceIdOf.get(hash) ?? []), request.sourceId])
    }
  }
  // Lock in a separate statement, so that the next one gets a snapshot from after the wait.
  await takeSharedLock(transaction, 'suppressions')
  const { rows } = await sql<{ hash: string }>`
    select distinct hash from suppressions where hash = any(${[...sourceIdOf.keys()]}::text[])`.execute(transaction)
  return new Set(rows.flatMap(({ hash }) => sourceIdOf.get(hash) ?? []))
}

export interface NewSuppressions {
  purgeId: string
  identities: readonly (Identity & { platform: PlatformName })[]
  /** Whether the operator named them; else they are ids of deleted requests. */
  named: boolean
  now: Date
}

/** Adds to the list. Waits for pages being stored; later pages see the entries once this commits. */
export async function suppress(transaction: Transaction, { purgeId, identities, named, now }: NewSuppressions) {
  if (identities.length === 0) return
  const entries = identities.map((identity) => ({
    hash: hashIdentity(identity.platform, identity),
    kind: identity.kind,
  }))
  await takeLock(transaction, 'suppressions')
  await sql`
    insert into suppressions (hash, purge_id, kind, named, created_at)
    select hash, ${purgeId}, kind, ${named}, ${now}
    from jsonb_to_recordset(${JSON.stringify(entries)}::jsonb) as entry (hash text, kind text)
    on conflict do nothing`.execute(transaction)
}

/** The hashes of an identity on every platform where it may be suppressed. */
const hashesOf = (identities: readonly Identity[], platform: PlatformName | undefined) =>
  identities.flatMap((identity) =>
    (platform === undefined ? storedPlatformNames : [platform]).map((name) => hashIdentity(name, identity)),
  )

/** Entries deleted per statement: in the embedded backend, all other statements wait for it. */
const sliceRows = 5_000

async function liftPurges(database: Database, purgeIds: readonly string[]): Promise<number> {
  for (let lifted = 0; ; ) {
    const { rows } = await sql`
      delete from suppressions where (hash, purge_id) in (
        select hash, purge_id from suppressions where purge_id = any(${purgeIds}::uuid[]) limit ${sliceRows}
      ) returning 1`.execute(database)
    lifted += rows.length
    if (rows.length < sliceRows) return lifted
  }
}

/** Lifts suppressions by purge or by name, with everything of the purges that named it. @returns how many. */
export async function liftSuppression(
  database: Database,
  what: { purgeId: string } | { identities: readonly Identity[]; platform: PlatformName | undefined },
): Promise<number> {
  if ('purgeId' in what) return liftPurges(database, [what.purgeId])
  const hashes = hashesOf(what.identities, what.platform)
  const { rows: entries } = await sql<{ purgeId: string; named: boolean }>`
    delete from suppressions where hash = any(${hashes}::text[]) returning purge_id as "purgeId", named`.execute(
    database,
  )
  const purgeIds = entries.filter(({ named }) => named).map(({ purgeId }) => purgeId)
  return entries.length + (await liftPurges(database, purgeIds))
}

export interface SuppressingPurge {
  purgeId: string
  /** The distinct kinds named; empty for a purge by platform or age. */
  kinds: IdentityKind[]
  entries: number
  createdAt: Date
}

/** The number of suppressions, and the purges behind them. */
export async function listSuppressions(executor: Executor): Promise<{ entries: number; purges: SuppressingPurge[] }> {
  const { rows: counted } = await sql<{ entries: number }>`select count(*) as entries from suppressions`.execute(
    executor,
  )
  const { rows } = await sql<SuppressingPurge>`
    select purge_id as "purgeId", count(*) as entries, min(created_at) as "createdAt",
      coalesce(array_agg(distinct kind order by kind) filter (where named), '{}') as kinds
    from suppressions group by purge_id`.execute(executor)
  return {
    entries: Number(counted[0]?.entries ?? 0),
    purges: rows.map((row) => ({ ...row, entries: Number(row.entries) })),
  }
}
