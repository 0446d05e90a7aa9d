import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { Logger } from 'pino'
import type { Database, Executor, Transaction } from '../database/open.ts'
import type { Tables } from '../database/tables.ts'
import { type Secrets, UnreadableSecretError } from '../http/secrets/secrets.ts'
import { ConfigError } from '../runtime/config-error.ts'
import { hasChannels, sealedFor } from './channels/store/channels.ts'
import { disableChannel } from './channels/store/states.ts'
import { hasTrackers, sealedFor as trackerSeal, unreadableTracker } from './trackers/store/trackers.ts'

/** @throws ConfigError if channels or trackers are stored but no key could open them. */
export async function requireSecretsKey(database: Database, secrets: Secrets): Promise<void> {
  if (secrets.hasKey || !((await hasChannels(database)) || (await hasTrackers(database)))) return
  throw new ConfigError(
    'SECRETS_KEY: is required, because there are channels or trackers, whose addresses and tokens are sealed with it. Set the key that they were made with; with another one nothing is delivered on them.',
  )
}

/** Warns if the service cannot give its readers links. */
export async function warnOfMissingLinks(database: Database, log: Pick<Logger, 'warn'>): Promise<void> {
  if (!(await hasChannels(database))) return
  log.warn('PUBLIC_URL is not set: what is told on channels has no links')
}

const sliceSize = 50

interface Sealed {
  table: 'channels' | 'trackers'
  sealedFor: (id: string) => string
  isUnreadable: RawBuilder<unknown>
  noteUnreadable: (transaction: Transaction, id: string, now: Date) => Promise<unknown>
}

const sealedRows: readonly Sealed[] = [
  {
    table: 'channels',
    sealedFor,
    isUnreadable: sql`coalesce(disabled_reason = 'unreadable', false)`,
    noteUnreadable: async (transaction, id, now) => {
      // Also replaces another reason for being disabled, so that it is not tried in every round.
      if (await disableChannel(transaction, id, 'unreadable', now)) return
      await transaction.updateTable('channels').set({ disabled_reason: 'unreadable' }).where('id', '=', id).execute()
    },
  },
  {
    table: 'trackers',
    sealedFor: trackerSeal,
    isUnreadable: sql`coalesce(last_error = ${unreadableTracker}, false)`,
    noteUnreadable: (transaction, id) =>
      transaction.updateTable('trackers').set({ last_error: unreadableTracker }).where('id', '=', id).execute(),
  },
]

/** Reseals a slice with the first key, disabling unreadable ones; skips unknown keys. @returns whether to go on. */
export async function sealAgain(database: Kysely<Tables>, secrets: Secrets, now: Date): Promise<boolean> {
  let hasMore = false
  for (const sealed of sealedRows) if (await sealSlice(database, secrets, sealed, now)) hasMore = true
  return hasMore
}

async function sealSlice(
  database: Kysely<Tables>,
  secrets: Secrets,
  { table, sealedFor: seal, isUnreadable, noteUnreadable }: Sealed,
  now: Date,
): Promise<boolean> {
  const { currentPrefix, knownPrefixes } = secrets
  const olderPrefixes = knownPrefixes.filter((prefix) => prefix !== currentPrefix)
  if (olderPrefixes.length === 0) return false
  return database.transaction().execute(async (transaction) => {
    const { rows } = await sql<{ id: string; config: string }>`
      select id, config from ${sql.table(table)} where exists (select from unnest(${olderPrefixes}::text[]) as known (prefix) where starts_with(config, prefix))
        and not ${isUnreadable} order by id limit ${sliceSize} for update skip locked`.execute(transaction)
    for (const { id, config } of rows) {
      try {
        const text = secrets.open(config, seal(id))
        await transaction
          .updateTable(table)
          .set({ config: secrets.seal(text, seal(id)) })
          .where('id', '=', id)
          .execute()
      } catch (error) {
        if (!(error instanceof UnreadableSecretError)) throw error
        await noteUnreadable(transaction, id, now)
      }
    }
    return rows.length === sliceSize
  })
}

/** Warns of channels and trackers whose key this process lacks: it delivers nothing there. */
export async function warnOfUnknownKeys(
  database: Executor,
  { knownPrefixes }: Secrets,
  log: Pick<Logger, 'warn'>,
): Promise<void> {
  const { rows } = await sql<{ channels: number }>`
    select count(*)::integer as channels from (
      select config from channels where state <> 'disabled' union all select config from trackers) as sealed
    where not exists (select from unnest(${[...knownPrefixes]}::text[]) as known (prefix) where starts_with(config, prefix))`.execute(
    database,
  )
  const { channels } = rows[0]!
  if (channels === 0) return
  log.warn(
    { channels },
    'channels or trackers are sealed with a key that this process does not have: nothing is delivered on them until the file secrets-key of the data directory, or SECRETS_KEY, has it',
  )
}
