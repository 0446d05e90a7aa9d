import type pg from 'pg'
import type { ConstructorOptions } from 'pg-boss'
import type { Listen } from './listen.ts'
import { applicationNames, openPool } from './pools.ts'
import type { Sockets } from './sockets.ts'

/** The maintenance statements of the queue have no time limit. */
const queueSilenceMs = 300_000

/**
 * What pg-boss needs: a pool of its own, so that searches never delay its heartbeats, opened at its first statement, and the listener
 * that all rooms share.
 */
export function openQueue(
  { databaseUrl, queuePoolSize }: { databaseUrl: string; queuePoolSize: number },
  sockets: Sockets,
  listen: Listen,
) {
  let pool: pg.Pool | null = null
  const open = () =>
    openPool(
      { databaseUrl, max: queuePoolSize, application_name: applicationNames.queue, silenceMs: queueSilenceMs },
      sockets,
    )
  const db: NonNullable<ConstructorOptions['db']> = {
    executeSql: (text, values) => {
      pool ??= open()
      return pool.query(text, values)
    },
    listen: async (channel, onNotification, onReconnect) => {
      const close = await listen(channel, (payload) => (payload === null ? onReconnect() : onNotification(payload)))
      return { close }
    },
  }
  return { options: { db }, close: async () => pool?.end() }
}
