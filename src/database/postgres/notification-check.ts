import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import type { Logger } from 'pino'
import type { OpenDatabase } from '../open.ts'

const timeoutMs = 3_000

/** Whether notifications arrive: behind a transaction pooler, `LISTEN` succeeds but hears nothing. */
export async function receivesNotifications({
  database,
  listen,
}: Pick<OpenDatabase, 'database' | 'listen'>): Promise<boolean> {
  const channel = `wishwell_check_${randomUUID().replaceAll('-', '')}`
  const received = Promise.withResolvers<boolean>()
  const stop = await listen(channel, (payload) => {
    if (payload !== null) received.resolve(true)
  })
  const timer = setTimeout(() => received.resolve(false), timeoutMs)
  try {
    await sql`select pg_notify(${channel}, 'heard')`.execute(database)
    return await received.promise
  } finally {
    clearTimeout(timer)
    await stop()
  }
}

/** Warns of what a pooler takes away: notifications, and time limits of single statements. */
export async function reportPooler(
  { backend, database, listen }: Pick<OpenDatabase, 'backend' | 'database' | 'listen'>,
  log: Pick<Logger, 'warn'>,
): Promise<void> {
  if (backend === 'embedded') return
  if (!(await receivesNotifications({ database, listen }))) {
    log.warn(
      'Notifications of Postgres do not arrive, so work begins seconds or minutes later than it could. ' +
        'Is DATABASE_URL or DATABASE_LISTEN_URL a pooler? DATABASE_LISTEN_URL must be the address of Postgres itself.',
    )
  }
  const { rows } = await sql<{ statement_timeout: string }>`show statement_timeout`.execute(database)
  if (rows[0]?.statement_timeout === '0') {
    log.warn(
      'Statements outside of transactions have no time limit, because DATABASE_URL is a pooler. ' +
        "Set one for the role: alter role … set statement_timeout = '15s'.",
    )
  }
}
