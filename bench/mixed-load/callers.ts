import { setTimeout as sleep } from 'node:timers/promises'
import { Pool } from 'undici'
import { createRandom } from '../engines/corpus.ts'
import { percentile } from '../report.ts'
import { type Call, isRemembered, type Mix, rememberSeen } from './calls.ts'

// The callers: a closed loop, whose calls wait for each other, and an open one, whose calls come when they come.

/** Connections to each process: calls beyond them wait in the client, which is part of their latency. */
const connections = 64

export interface CallTarget {
  urls: readonly string[]
  adminKey: string
  /** API keys, used in rotation, so that no account exceeds the limit of its plan. */
  keys: readonly string[]
}

/** The calls since the last `take`; in milliseconds, NaN without a call. */
export interface Interval {
  completed: number
  p50: number
  p99: number
}

export interface Callers {
  /** So many callers for so long, each with the next call after the answer of the last. @returns the number of calls */
  closedLoop(clients: number, seconds: number): Promise<number>
  /**
   * Calls at random moments (a Poisson process), so many a second on average, whether or not the service keeps up. The latency counts
   * from the intended moment. @returns the number of calls, when all were answered
   */
  openLoop(perSecond: number, seconds: number, seed: number): Promise<number>
  take(): Interval
  /** Milliseconds of all calls since `forget`, by their kind. */
  latencies: ReadonlyMap<string, number[]>
  forget(): void
  /** How often each failure happened. */
  failures: ReadonlyMap<string, number>
  close(): Promise<void>
}

export function createCallers({ urls, adminKey, keys }: CallTarget, mix: Mix): Callers {
  const pools = urls.map((url) => new Pool(url, { connections, pipelining: 1 }))
  const latencies = new Map<string, number[]>()
  const failures = new Map<string, number>()
  let interval: number[] = []
  let made = 0

  const send = async (call: Call): Promise<number> => {
    const account = call.account ?? made % keys.length
    const pool = pools[made % pools.length]!
    made++
    const { statusCode, body } = await pool.request({
      method: call.method,
      path: call.path,
      headers: {
        authorization: `Bearer ${call.isAdmin ? adminKey : keys[account]}`,
        ...(call.body ? { 'content-type': 'application/json' } : {}),
      },
      body: call.body ? JSON.stringify(call.body) : null,
    })
    if (statusCode === 200 && isRemembered(call)) {
      const { data } = (await body.json()) as { data: unknown }
      rememberSeen(mix.seen, account, data)
    } else await body.dump({ limit: Number.POSITIVE_INFINITY })
    return statusCode
  }

  const fail = (what: string) => void failures.set(what, (failures.get(what) ?? 0) + 1)
  /** Makes a call and records it. @param intendedAt when it should have begun, by `performance.now()` */
  const record = async (call: Call, intendedAt: number): Promise<void> => {
    try {
      const status = await send(call)
      if (status !== 200 && !(call.mayMiss && status === 404)) fail(`${call.kind}: ${status}`)
    } catch (error) {
      fail(`${call.kind}: ${(error as Error).message}`)
    }
    const ms = performance.now() - intendedAt
    interval.push(ms)
    const ofKind = latencies.get(call.kind)
    if (ofKind) ofKind.push(ms)
    else latencies.set(call.kind, [ms])
  }

  return {
    latencies,
    failures,
    forget: () => latencies.clear(),
    take: () => {
      const times = interval
      interval = []
      const of = (share: number) => (times.length === 0 ? Number.NaN : percentile(times, share))
      return { completed: times.length, p50: of(0.5), p99: of(0.99) }
    },
    closedLoop: async (clients, seconds) => {
      const until = performance.now() + seconds * 1_000
      let calls = 0
      const caller = async () => {
        for (; performance.now() < until; calls++) await record(mix.next(), performance.now())
      }
      await Promise.all(Array.from({ length: clients }, caller))
      return calls
    },
    openLoop: async (perSecond, seconds, seed) => {
      const random = createRandom(seed)
      const startedAt = performance.now()
      const running = new Set<Promise<void>>()
      let calls = 0
      const pause = () => (-Math.log(1 - random()) * 1_000) / perSecond
      for (let at = startedAt + pause(); at < startedAt + seconds * 1_000; at += pause()) {
        const wait = at - performance.now()
        if (wait > 0) await sleep(wait)
        const call = record(mix.next(), at)
        running.add(call)
        void call.then(() => running.delete(call))
        calls++
      }
      await Promise.all(running)
      return calls
    },
    close: async () => void (await Promise.all(pools.map((pool) => pool.close()))),
  }
}
