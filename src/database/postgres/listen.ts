import pg from 'pg'

type OnNotification = (payload: string | null) => void

/** Calls back for each committed notification, and with null if some may be missed. @returns a function to stop */
export type Listen = (channel: string, onNotification: OnNotification) => Promise<() => Promise<void>>

export interface Listener {
  listen: Listen
  stop(): Promise<void>
}

const firstPauseMs = 500
const maxPauseMs = 5_000

function createSubscriptions() {
  const callbacks = new Map<string, Set<OnNotification>>()
  return {
    channels: () => [...callbacks.keys()],
    add: (channel: string, onNotification: OnNotification) => {
      const ofChannel = callbacks.get(channel) ?? new Set()
      callbacks.set(channel, ofChannel.add(onNotification))
    },
    remove: (channel: string, onNotification: OnNotification): boolean => {
      const ofChannel = callbacks.get(channel)
      ofChannel?.delete(onNotification)
      return ofChannel?.size === 0 && callbacks.delete(channel)
    },
    notify: (channel: string, payload: string | null) => {
      for (const onNotification of callbacks.get(channel) ?? []) onNotification(payload)
    },
  }
}

const listTo = (command: 'listen' | 'unlisten', channels: readonly string[]) =>
  channels.map((channel) => `${command} ${pg.escapeIdentifier(channel)}`).join('; ')

interface Connection {
  client: pg.Client
  isOpen: boolean
  /** Listens to the new ones of these channels. @returns the new ones */
  listen(channels: readonly string[]): Promise<string[]>
  unlisten(channel: string): Promise<void>
}

function createConnection(client: pg.Client): Connection {
  const listened = new Set<string>()
  /** The last statement; the next one follows it. */
  let last: Promise<unknown> = Promise.resolve()
  const run = (statement: string) => {
    last = last.then(() => client.query(statement))
    return last
  }
  return {
    client,
    isOpen: false,
    listen: async (channels) => {
      const added = channels.filter((channel) => !listened.has(channel))
      if (added.length === 0) return []
      for (const channel of added) listened.add(channel)
      await run(listTo('listen', added))
      return added
    },
    unlisten: async (channel) => {
      if (listened.delete(channel)) await run(listTo('unlisten', [channel]))
    },
  }
}

/** Listens to all channels on one connection, opened for the first, closed after the last, replaced when lost. */
export function createListener(createClient: () => pg.Client): Listener {
  const subscriptions = createSubscriptions()
  let current: Connection | null = null
  let connecting: Promise<void> | null = null
  let timer: NodeJS.Timeout | undefined
  let pauseMs = firstPauseMs

  const end = async () => {
    clearTimeout(timer)
    const ended = current
    current = null
    await ended?.client.end().catch(() => {})
  }
  const lose = (connection: Connection) => {
    if (current !== connection) return
    current = null
    connection.client.end().catch(() => {})
    timer = setTimeout(connect, pauseMs).unref()
    pauseMs = Math.min(maxPauseMs, pauseMs * 2)
  }
  const listenToAll = async (connection: Connection) => {
    for (const channel of await connection.listen(subscriptions.channels())) subscriptions.notify(channel, null)
  }
  async function open(): Promise<void> {
    const connection = createConnection(createClient())
    const { client } = connection
    current = connection
    client.on('error', () => lose(connection))
    client.on('end', () => lose(connection))
    client.on('notification', ({ channel, payload }) => subscriptions.notify(channel, payload ?? ''))
    try {
      await client.connect()
      connection.isOpen = true
      await listenToAll(connection)
      pauseMs = firstPauseMs
    } catch {
      lose(connection)
    }
  }
  function connect(): Promise<void> {
    clearTimeout(timer)
    connecting = open().finally(() => {
      connecting = null
    })
    return connecting
  }
  return {
    listen: async (channel, onNotification) => {
      subscriptions.add(channel, onNotification)
      // If this fails, it is retried later.
      await (connecting ?? (current === null ? connect() : null))
      const connection = current as Connection | null
      if (connection?.isOpen) await listenToAll(connection).catch(() => lose(connection))
      return async () => {
        if (!subscriptions.remove(channel, onNotification)) return
        if (subscriptions.channels().length === 0) return end()
        await current?.unlisten(channel).catch(() => {})
      }
    },
    stop: end,
  }
}
