import pg from 'pg'

/**
 * Calls back for each notification of a channel that was committed, and with null when some may have been missed.
 * @returns the function that ends it.
 */
export type Listen = (channel: string, onNotification: (payload: string | null) => void) => Promise<() => Promise<void>>

const firstPauseMs = 500
const maxPauseMs = 5_000

/** Listens on a connection of its own, and opens another one whenever that is lost. */
export async function listenOnPostgres(
  createClient: () => pg.Client,
  channel: string,
  onNotification: (payload: string | null) => void,
): Promise<() => Promise<void>> {
  let current: pg.Client | null = null
  let timer: NodeJS.Timeout | undefined
  let pauseMs = firstPauseMs
  let stopped = false

  const lose = (client: pg.Client) => {
    if (current !== client || stopped) return
    current = null
    client.end().catch(() => {})
    timer = setTimeout(connect, pauseMs).unref()
    pauseMs = Math.min(maxPauseMs, pauseMs * 2)
  }
  async function connect(): Promise<void> {
    const client = createClient()
    current = client
    client.on('error', () => lose(client))
    client.on('end', () => lose(client))
    client.on('notification', ({ payload }) => onNotification(payload ?? ''))
    try {
      await client.connect()
      await client.query(`listen ${pg.escapeIdentifier(channel)}`)
      pauseMs = firstPauseMs
      onNotification(null)
    } catch {
      lose(client)
    }
  }
  await connect()
  return async () => {
    stopped = true
    clearTimeout(timer)
    await current?.end().catch(() => {})
  }
}
