import { performance } from 'node:perf_hooks'
import { Pool } from 'undici'

// The callers of bench/search.ts, in a process of their own, so that they do not slow down the measured one.

export interface Load {
  url: string
  method: 'GET' | 'POST'
  path: string
  headers: Record<string, string>
  /** API keys, sent in rotation; without them `headers` has the key. */
  keys?: readonly string[]
  /** Sent in rotation. */
  bodies: readonly string[]
  clients: number
  seconds: number
}

export interface Measured {
  /** Milliseconds of each call, ascending. */
  times: number[]
  failed: number
  /** What the first failed call was answered. */
  failure: string | null
  seconds: number
  bytes: number
}

async function run({ url, method, path, headers, keys, bodies, clients, seconds }: Load): Promise<Measured> {
  const pool = new Pool(url, { connections: clients, pipelining: 1 })
  const times: number[] = []
  let [next, failed, bytes] = [0, 0, 0]
  let failure: string | null = null
  const since = performance.now()
  const sent = keys?.map((key) => ({ ...headers, authorization: `Bearer ${key}` })) ?? [headers]
  const call = async () => {
    while (performance.now() - since < seconds * 1_000) {
      const startedAt = performance.now()
      const number = next++
      const body = method === 'GET' ? null : (bodies[number % bodies.length] ?? null)
      const answer = await pool.request({ method, path, headers: sent[number % sent.length] ?? headers, body })
      const content = await answer.body.arrayBuffer()
      times.push(performance.now() - startedAt)
      bytes += content.byteLength
      if (answer.statusCode !== 200) {
        failed++
        failure ??= `${answer.statusCode} ${Buffer.from(content)}`
      }
    }
  }
  await Promise.all(Array.from({ length: clients }, call))
  await pool.close()
  const elapsed = (performance.now() - since) / 1_000
  return {
    times: times.sort((a, b) => a - b),
    failed,
    failure,
    seconds: elapsed,
    bytes: bytes / Math.max(1, times.length),
  }
}

process.on('message', (load: Load) => {
  run(load).then(
    (measured) => process.send?.(measured),
    (error) => {
      console.error(error)
      process.exit(1)
    },
  )
})
