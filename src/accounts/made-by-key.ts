import { sql } from 'kysely'
import { type Static, Type } from 'typebox'
import type { Executor, Transaction } from '../database/open.ts'
import { notFound, ServiceError } from '../http/errors.ts'
import { named } from '../http/openapi-components.ts'
import { closed, moment, nullable } from '../http/schemas.ts'

// What keys made; each row stores its maker. See docs/api.md for what becomes of it.

const madeThings = <Id extends string>(id: Id, what: string) =>
  Type.Array(
    closed({ ...({ [id]: Type.String() } as Record<Id, ReturnType<typeof Type.String>>), name: Type.String() }),
    {
      description: `The ${what}, the first made first`,
    },
  )

/** What a key made, the keys it made, and so on. */
export const madeByKey = closed(
  {
    keys: madeThings('keyId', 'keys that open the account'),
    feeds: madeThings('feedId', 'feeds'),
    shares: madeThings('shareId', 'shares'),
    channels: madeThings('channelId', 'channels'),
    watches: madeThings('watchId', 'watches that run'),
    trackers: madeThings('trackerId', 'trackers'),
  },
  named('MadeByKey'),
)

export type MadeByKey = Static<typeof madeByKey>

const { watches, ...ended } = madeByKey.properties
/** What ends with its maker, for descriptions: all but watches, which stop. */
export const endedWords = Object.keys(ended).join(', ')

interface Named {
  id: string
  name: string
}

/** What another room stores for keys. */
export interface MadeKind {
  list: (executor: Executor, keyIds: readonly string[]) => Promise<Named[]>
  /** Ends what these keys made. The transaction has locked the account. */
  end: (transaction: Transaction, keyIds: readonly string[], now: Date) => Promise<void>
}

/** By kind, in ending order, which is the lock order. */
export type MadeKinds = Readonly<Record<Exclude<keyof MadeByKey, 'keys'>, MadeKind>>

/** The maker in answers, for things that end with it. */
export const madeByFields = {
  madeBy: nullable(
    Type.String({ description: 'The `keyId` of the key that made it; null for a session that no key opened' }),
  ),
  expiresAt: nullable(moment('When the key that made it expires, and it ends, too; null: never')),
}

export const describeMaker = ({ made_by, expires_at }: Maker) => ({
  madeBy: made_by,
  expiresAt: expires_at?.toISOString() ?? null,
})

/** The key that makes a row; nulls for the operator, and for a session without a key. */
export interface Maker {
  made_by: string | null
  /** When it expires, and with it what it makes. */
  expires_at: Date | null
}

/** Locks an account until the transaction ends. @returns false if it is unknown or deleted */
export async function lockAccount(transaction: Transaction, accountId: string): Promise<boolean> {
  const row = await transaction
    .selectFrom('accounts')
    .select('id')
    .where('id', '=', accountId)
    .where('deleted_at', 'is', null)
    // Unlike a full lock, allows inserts referring to the account: jobs must not wait for keys.
    .forNoKeyUpdate()
    .executeTakeFirst()
  return row !== undefined
}

/**
 * Call first, so that maximums hold and an ended key makes nothing.
 * @param keyId null for the operator, and for a session without a key
 * @throws ServiceError NOT_FOUND for a deleted account, UNAUTHORIZED for an ended key
 */
export async function makerOf(
  transaction: Transaction,
  { accountId, keyId, now }: { accountId: string; keyId: string | null; now: Date },
): Promise<Maker> {
  if (!(await lockAccount(transaction, accountId))) throw notFound('Account')
  if (keyId === null) return { made_by: null, expires_at: null }
  const key = await transaction
    .selectFrom('api_keys')
    .select(['revoked_at', 'expires_at'])
    .where('id', '=', keyId)
    .executeTakeFirstOrThrow()
  if (key.revoked_at !== null || (key.expires_at !== null && key.expires_at <= now)) {
    throw new ServiceError('UNAUTHORIZED', 'The API key has ended.')
  }
  return { made_by: keyId, expires_at: key.expires_at }
}

/** What keys made in a table, oldest first. */
export async function listMadeIn(
  executor: Executor,
  table: 'feeds' | 'channels' | 'trackers',
  keyIds: readonly string[],
): Promise<Named[]> {
  const { rows } = await sql<Named>`
    select id, name from ${sql.table(table)} where made_by = any(${[...keyIds]}::uuid[]) order by created_at, id`.execute(
    executor,
  )
  return rows
}

interface Asked {
  keyId: string
  /** The calling key; null for the operator, and for a session without a key. */
  except: string | null
  now: Date
}

interface MadeKey extends Named {
  isActive: boolean
}

/** Keys a key made, and theirs, active or not. @param except the asking key and what it made, such as a replacement */
export async function readKeysMadeBy(executor: Executor, { keyId, except, now }: Asked): Promise<MadeKey[]> {
  const keys = await executor
    .withRecursive('made', (db) =>
      db
        .selectFrom('api_keys')
        .select(['id', 'name', 'created_at', 'revoked_at', 'expires_at'])
        .where('made_by', '=', keyId)
        .$if(except !== null, (query) => query.where('id', '<>', except))
        .unionAll(
          db
            .selectFrom('api_keys')
            .innerJoin('made', 'made.id', 'api_keys.made_by')
            .$if(except !== null, (query) => query.where('api_keys.id', '<>', except))
            .select([
              'api_keys.id',
              'api_keys.name',
              'api_keys.created_at',
              'api_keys.revoked_at',
              'api_keys.expires_at',
            ]),
        ),
    )
    .selectFrom('made')
    .selectAll()
    .orderBy('created_at')
    .orderBy('id')
    .execute()
  return keys.map(({ id, name, revoked_at, expires_at }) => ({
    ...{ id, name },
    isActive: revoked_at === null && (expires_at === null || expires_at > now),
  }))
}

/** What a key and the keys it made have made. */
export async function readMadeBy(executor: Executor, kinds: MadeKinds, asked: Asked): Promise<MadeByKey> {
  const keys = await readKeysMadeBy(executor, asked)
  const makers = [asked.keyId, ...keys.map(({ id }) => id)]
  return {
    keys: keys.filter(({ isActive }) => isActive).map(({ id, name }) => ({ keyId: id, name })),
    feeds: (await kinds.feeds.list(executor, makers)).map(({ id, name }) => ({ feedId: id, name })),
    shares: (await kinds.shares.list(executor, makers)).map(({ id, name }) => ({ shareId: id, name })),
    channels: (await kinds.channels.list(executor, makers)).map(({ id, name }) => ({ channelId: id, name })),
    watches: (await kinds.watches.list(executor, makers)).map(({ id, name }) => ({ watchId: id, name })),
    trackers: (await kinds.trackers.list(executor, makers)).map(({ id, name }) => ({ trackerId: id, name })),
  }
}
