import { Socket } from 'node:net'

/** node-postgres ignores this code on a closing connection; any other is an unhandled event and ends the process. */
export class SilentPostgresError extends Error {
  override readonly name = 'SilentPostgresError'
  readonly code = 'ECONNRESET'
  constructor() {
    super('Postgres does not answer.')
  }
}

/** Bytes received by each socket at one time. */
export type ReceivedBytes = ReadonlyMap<Socket, number>

/**
 * Sockets of all connections to one Postgres. node-postgres waits forever, or reuses a connection whose answer is still
 * due (`query_timeout`); destroying its socket fails the statement.
 */
export interface Sockets {
  /** Makes a pool's sockets, for node-postgres' `stream`. @param silenceMs maximum wait for an answer; 0: none */
  maker(silenceMs: number): () => Socket
  received(): ReceivedBytes
  /** Destroys sockets that received nothing since then, even younger ones, and refuses new ones until `open`. */
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
