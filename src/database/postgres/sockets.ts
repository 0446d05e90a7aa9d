import { Socket } from 'node:net'

/**
 * A Postgres that does not answer. The code is one that node-postgres expects of a connection that it is ending: any other would be
 * an event that nobody listens to any more, and end the process.
 */
export class SilentPostgresError extends Error {
  override readonly name = 'SilentPostgresError'
  readonly code = 'ECONNRESET'
  constructor() {
    super('Postgres does not answer.')
  }
}

/** What had been heard on each socket at one moment, in bytes. */
export type Heard = ReadonlyMap<Socket, number>

/**
 * The sockets of all connections of this process to one Postgres. node-postgres waits for an answer for ever, or gives a connection
 * back on which one may still come (`query_timeout`); a socket that is destroyed fails its statement and is used by nobody again.
 */
export interface Sockets {
  /** Makes those of one pool, for the `stream` of node-postgres. @param silenceMs how long one may wait for an answer. */
  maker(silenceMs: number): () => Socket
  heard(): Heard
  /** Destroys those on which nothing was heard since then, younger ones too, and refuses new ones until `open`. */
  closeSilent(since: Heard): void
  open(): void
  destroyAll(): void
}

/** Libuv asks ten times more, a second apart: a peer that is gone is noticed after 20 s where nothing is under way. */
const keepAliveAfterMs = 10_000

export function createSockets(): Sockets {
  const sockets = new Set<Socket>()
  let isOpen = true
  const destroy = (socket: Socket) => socket.destroy(new SilentPostgresError())
  return {
    maker: (silenceMs) => () => {
      const socket = new Socket()
      socket.setKeepAlive(true, keepAliveAfterMs)
      socket.setTimeout(silenceMs, () => destroy(socket))
      sockets.add(socket)
      socket.once('close', () => sockets.delete(socket))
      // node-postgres listens to it first.
      if (!isOpen) setImmediate(destroy, socket)
      return socket
    },
    heard: () => new Map([...sockets].map((socket) => [socket, socket.bytesRead])),
    closeSilent: (since) => {
      isOpen = false
      for (const socket of sockets) if (socket.bytesRead === (since.get(socket) ?? 0)) destroy(socket)
    },
    open: () => {
      isOpen = true
    },
    destroyAll: () => {
      for (const socket of sockets) destroy(socket)
    },
  }
}
