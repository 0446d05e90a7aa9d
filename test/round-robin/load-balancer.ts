import { createServer, type IncomingMessage, request as openRequest, type ServerResponse } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { pipeline } from 'node:stream'

/** The time between two health checks of a process, and the time limit of one. */
const healthCheckMs = 200
const healthTimeoutMs = 10_000

export interface LoadBalancerOptions {
  /** The address of each process, `http://…`. Read again for each call. */
  addresses(): readonly string[]
  /** Runs before a call is forwarded. @param others how many other calls are not answered at that moment. */
  beforeCall?: (others: () => number) => Promise<void>
}

export interface LoadBalancer {
  url: string
  /** How many calls each address has answered. */
  readonly answered: ReadonlyMap<string, number>
  /** Resolves when a health check finds the process at this address ready. */
  whenReady(address: string): Promise<void>
  stop(): Promise<void>
}

/** Headers of one connection, not of the call. */
const isOfConnection = (name: string) => /^(connection|keep-alive|proxy-connection|upgrade)$/i.test(name)

/** Headers as they were sent, pairs of name and value, without those of the connection. */
function forwardedHeaders({ rawHeaders }: IncomingMessage, isLeftOut: (name: string) => boolean): string[] {
  const names = rawHeaders.filter((_text, index) => index % 2 === 0)
  return names.flatMap((name, index) => (isLeftOut(name) ? [] : [name, rawHeaders[index * 2 + 1]!]))
}

const isListening = (url: URL): Promise<Socket | null> =>
  new Promise((resolve) => {
    const socket = connect(Number(url.port), url.hostname)
    socket.once('connect', () => resolve(socket)).once('error', () => resolve(null))
  })

/**
 * Starts a round-robin load balancer like those of deployments: each call goes to the next process that is ready, over a connection of its own; bodies and
 * server-sent events are streamed. A refused connection makes it try the next process, since nothing was sent. Everything else is the caller's to repeat: a process that
 * dies before it answers is a 502, one that dies later breaks the connection.
 */
export async function startLoadBalancer({ addresses, beforeCall }: LoadBalancerOptions): Promise<LoadBalancer> {
  const ready = new Set<string>()
  const waiting = new Map<string, () => void>()
  const answered = new Map<string, number>()
  let last = 0
  let underWay = 0

  async function checkHealth(address: string): Promise<void> {
    const isReady = await fetch(`${address}/readyz`, { signal: AbortSignal.timeout(healthTimeoutMs) }).then(
      async (response) => {
        await response.arrayBuffer()
        return response.ok
      },
      () => false,
    )
    if (!isReady) ready.delete(address)
    else {
      ready.add(address)
      waiting.get(address)?.()
    }
  }
  const checking = new Set<string>()
  const checkAll = () => {
    for (const address of addresses()) {
      if (checking.has(address)) continue
      checking.add(address)
      void checkHealth(address).finally(() => checking.delete(address))
    }
  }

  /** A connection to the next process that is ready; null when none takes one. */
  async function connectToNext(): Promise<{ address: string; socket: Socket } | null> {
    last += 1
    const all = addresses()
    for (let index = 0; index < all.length; index++) {
      const address = all[(last + index) % all.length]!
      if (!ready.has(address)) continue
      const socket = await isListening(new URL(address))
      if (socket) return { address, socket }
      ready.delete(address)
    }
    return null
  }

  const refuse = (answer: ServerResponse, status: number, message: string) => {
    answer.writeHead(status, { 'content-type': 'text/plain' }).end(message)
  }

  async function forward(call: IncomingMessage, answer: ServerResponse): Promise<void> {
    const target = await connectToNext()
    if (target === null) return refuse(answer, 503, 'no process is ready')
    const { address, socket } = target
    const client = call.socket.remoteAddress ?? ''
    const forwarded = openRequest(new URL(call.url ?? '/', address), {
      method: call.method!,
      // As it was sent: an URL would be normalised.
      path: call.url!,
      headers: [...forwardedHeaders(call, isOfConnection), 'X-Forwarded-For', client, 'Connection', 'close'],
      createConnection: () => socket,
    })
    let isAnswered = false
    forwarded.once('response', (response) => {
      isAnswered = true
      answered.set(address, (answered.get(address) ?? 0) + 1)
      const isLeftOut = (name: string) => isOfConnection(name) || /^transfer-encoding$/i.test(name)
      answer.writeHead(response.statusCode!, response.statusMessage, forwardedHeaders(response, isLeftOut))
      answer.flushHeaders()
      // A response that ends too early breaks the connection of the caller.
      pipeline(response, answer, () => {})
    })
    forwarded.on('error', () => {
      if (!isAnswered && !answer.headersSent) refuse(answer, 502, 'the process broke the connection')
    })
    answer.once('close', () => forwarded.destroy())
    call.pipe(forwarded)
  }

  const server = createServer({ maxHeaderSize: 64 * 1024 }, (call, answer) => {
    underWay += 1
    answer.once('close', () => {
      underWay -= 1
    })
    const before = beforeCall?.(() => underWay - 1) ?? Promise.resolve()
    before.then(() => forward(call, answer)).catch(() => answer.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const timer = setInterval(checkAll, healthCheckMs)
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    answered,
    whenReady: (address) => new Promise((resolve) => (ready.has(address) ? resolve() : waiting.set(address, resolve))),
    stop: () => {
      clearInterval(timer)
      server.closeAllConnections()
      return new Promise((resolve) => server.close(() => resolve()))
    },
  }
}
