import { Socket } from 'node:net'

/**
 * A Postgres that does not answer. node-postgres ignores this code on a connection that it is ending; any other would be an
 * unhandled event and end the process.
 */
export class SilentPostgresError extends Error {
  override readonly name = 'SilentPostgresError'
  readonly code = 'ECONNRESET'
  constructor() {
    super('Postgres does not answer.')
  }
}

/** The number of bytes that each socket had received at one moment. */
export type ReceivedBytes = ReadonlyMap<Socket, number>

/**
 * The sockets of all connections of this process to one Postgres. node-postgres waits for an answer for ever, or returns a connection
 * to the pool on which an answer may still arrive (`query_timeout`); destroying the socket fails its statement and ends its use.
 */
export interface Sockets {
  /** Makes the sockets of one pool, for the `stream` of node-postgres. @param silenceMs the maximum wait for an answer; 0: none. */
  maker(silenceMs: number): () => Socket
  received(): ReceivedBytes
  /** Destroys the sockets that have received nothing since then, also younger ones, and refuses new ones until `open`. */
  closeSilent(since: ReceivedBytes): void
  open(): void
  destroyAll(): void
}

/** Libuv then sends ten probes, a second apart: an idle connection notices a dead peer after 20 s. */
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
      // Not before node-postgres has added its listeners.
      if (!isOpen) setImmediate(destroy, socket)
      return socket
    },
    received: () => new Map([...sockets].map((socket) => [socket, socket.bytesRead])),
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
