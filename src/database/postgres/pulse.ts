import { Socket } from 'node:net'
import pg from 'pg'
import type { Sockets } from './sockets.ts'

export interface Pulse {
  stop(): void
}

const pauseMs = 1_000

/** A busy server may take long for much, but not for nothing. */
const patienceMs = 5_000

/**
 * Asks Postgres for nothing, again and again, on a connection of its own. Statements may take long, so no limit of theirs tells a
 * server that works from one that stands still; this does. Then every connection that is just as silent is closed: whatever waits
 * fails within seconds, whatever comes fails at once, until Postgres answers again.
 */
export function startPulse(connectionString: string, sockets: Sockets): Pulse {
  let connection: { client: pg.Client; socket: Socket } | null = null
  let timer: NodeJS.Timeout | undefined
  let stopped = false

  const connect = async () => {
    const socket = new Socket()
    const client = new pg.Client({ connectionString, application_name: 'wishwell-pulse', stream: () => socket })
    connection = { client, socket }
    // Its statement fails, too.
    client.on('error', () => {})
    await client.connect()
    return connection
  }
  const drop = () => {
    connection?.socket.destroy()
    connection = null
  }
  const beat = async () => {
    const heard = sockets.heard()
    const deadline = setTimeout(() => {
      sockets.closeSilent(heard)
      drop()
    }, patienceMs).unref()
    try {
      const { client } = connection ?? (await connect())
      await client.query('select 1')
      sockets.open()
    } catch {
      // Whoever says no answers; and where nobody listens, each connection hears that for itself.
      if (connection !== null) sockets.open()
      drop()
    } finally {
      clearTimeout(deadline)
    }
    if (!stopped) timer = setTimeout(beat, pauseMs).unref()
  }
  timer = setTimeout(beat, pauseMs).unref()
  return {
    stop: () => {
      stopped = true
      clearTimeout(timer)
      drop()
    },
  }
}
