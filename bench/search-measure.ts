import { fork } from 'node:child_process'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { fastify } from 'fastify'
import type { Corpus } from './engines/corpus.ts'
import type { BenchEngine } from './engines/engine.ts'
import { percentile } from './report.ts'
import type { Load, Measured } from './search-client.ts'

// How bench/search.ts fills and searches any engine.

export type Line = string[]

export const batchSize = 1_000
export const resultLimit = 20

/** The process of the callers, from the import of this file until its importer kills it. */
export const callers = fork(fileURLToPath(new URL('./search-client.ts', import.meta.url)))
/** Has the callers make calls. */
export const call = (load: Load): Promise<Measured> =>
  new Promise((resolve, reject) => {
    const onExit = () => reject(new Error('the client ended'))
    callers.once('exit', onExit)
    callers.once('message', (measured) => {
      callers.off('exit', onExit)
      resolve(measured as Measured)
    })
    callers.send(load)
  })

export const ms = (time: number) => (time < 10 ? time.toFixed(1) : time.toFixed(0))
export const mb = (bytes: number) => `${(bytes / 1e6).toFixed(0)} MB`

/** p50, p95 and p99 of one client, calls a second of sixteen, and how many calls all of that took. */
export async function measure(load: Omit<Load, 'clients'>) {
  const { seconds } = load
  // Warm.
  const warm = await call({ ...load, clients: 1, seconds: seconds / 3 })
  const one = await call({ ...load, clients: 1 })
  const sixteen = await call({ ...load, clients: 16 })
  if (one.failed + sixteen.failed > 0) throw new Error(`${one.failed + sixteen.failed} calls failed: ${load.bodies[0]}`)
  const times = [0.5, 0.95, 0.99].map((share) => ms(percentile(one.times, share)))
  const calls = [warm, one, sixteen].reduce((sum, measured) => sum + measured.times.length, 0)
  return { times, perSecond: sixteen.times.length / sixteen.seconds, bytes: one.bytes, calls }
}

/** Loads an engine in batches and searches between two of them. @param from how many documents it has already */
export async function fill(
  corpus: Corpus,
  size: number,
  load: BenchEngine['load'],
  search: () => Promise<unknown>,
  from = 0,
) {
  const between: number[] = []
  const since = performance.now()
  for (let start = from; start < size; start += batchSize) {
    const count = Math.min(batchSize, size - start)
    await load(Array.from({ length: count }, (_, index) => corpus.document(start + index)))
    const asked = performance.now()
    await search()
    between.push(performance.now() - asked)
  }
  const loadSeconds = (performance.now() - since) / 1_000
  return {
    loadSeconds,
    loadedBefore: from,
    betweenMs: percentile(between, 0.99),
  }
}

/** A route that does nothing but answer with so many bytes, in the same framework and process. */
export async function measureBare(bytes: number, seconds: number) {
  const app = fastify()
  const results = Array.from({ length: resultLimit }, () => ({ text: 'x'.repeat(Math.round(bytes / resultLimit)) }))
  app.post('/search', async () => ({ data: { results } }))
  await app.listen({ host: '127.0.0.1', port: 0 })
  try {
    const url = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`
    return await measure({
      url,
      seconds,
      method: 'POST',
      path: '/search',
      headers: { 'content-type': 'application/json' },
      bodies: ['{}'],
    })
  } finally {
    await app.close()
  }
}
