import { Kysely, type Logger } from 'kysely'
import type { Tables } from '../tables.ts'
import { defaultStatementTimeoutMs, openMainPool, waitForGoodbye } from './pools.ts'
import { startPulse } from './pulse.ts'
import { createSockets } from './sockets.ts'

/** A read waits for no longer than that for a connection to the replica: the primary can answer it. */
const replicaConnectionTimeoutMs = 1_000

export interface ReplicaOptions {
  readUrl: string
  poolSize?: number | undefined
  statementTimeoutMs?: number | undefined
  onStatement?: ((statement: string) => void) | undefined
}

/**
 * Opens a pool of connections to a replica, at its first read: a start does not need the replica. Its time limits are set by each
 * transaction, because its address may be a pooler.
 */
export function openReplica({ readUrl, poolSize = 10, statementTimeoutMs, onStatement }: ReplicaOptions) {
  const sockets = createSockets()
  const { dialect } = openMainPool(
    {
      databaseUrl: readUrl,
      isPooled: true,
      poolSize,
      statementTimeoutMs: statementTimeoutMs ?? defaultStatementTimeoutMs,
      connectionTimeoutMillis: replicaConnectionTimeoutMs,
    },
    sockets,
  )
  const log: Logger = (event) => {
    if (event.level === 'query') onStatement?.(event.query.sql)
  }
  const database = new Kysely<Tables>({ dialect, log })
  const pulse = startPulse(readUrl, sockets)
  return {
    database,
    close: async () => {
      const ended = database.destroy()
      await waitForGoodbye(ended)
      sockets.destroyAll()
      pulse.stop()
      await ended
    },
  }
}
