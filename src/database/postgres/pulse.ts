import { Socket } from 'node:net'
import pg from 'pg'
import type { Sockets } from './sockets.ts'

export interface Pulse {
  stop(): void
}

const pauseMs = 1_000

/** Even a busy server answers an empty query in less. */
const timeoutMs = 5_000

/**
 * Sends an empty query to Postgres every second, on a connection of its own. Statements may take long, so their time limits cannot
 * distinguish a busy server from one that stands still; this can. Then every connection that is as silent is closed: waiting
 * statements fail within seconds and new ones at once, until Postgres answers again.
 */
export function startPulse(connectionString: string, sockets: Sockets): Pulse {
  let connection: { client: pg.Client; socket: Socket } | null = null
  let timer: NodeJS.Timeout | undefined
  let stopped = false

  const connect = async () => {
    const socket = new Socket()
    const client = new pg.Client({ connectionString, application_name: 'wishwell-pulse', stream: () => socket })
    connection = { client, socket }
    // Its statement fails with the same error.
    client.on('error', () => {})
    await client.connect()
    return connection
  }
  const drop = () => {
    connection?.socket.destroy()
    connection = null
  }
  const beat = async () => {
    const received = sockets.received()
    const deadline = setTimeout(() => {
      sockets.closeSilent(received)
      drop()
    }, timeoutMs).unref()
    try {
      const { client } = connection ?? (await connect())
      await client.query('select 1')
      sockets.open()
    } catch {
      // A refusal is an answer. Where nothing listens, every connection fails by itself.
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
