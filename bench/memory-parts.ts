import { readFileSync } from 'node:fs'

// The parts of the resident memory of the service, in a process of its own for bench/memory.ts (run with --expose-gc): it
// does the steps of a start one after the other and reads after each what is resident. DATA_DIR has a database.

export interface Part {
  part: string
  megabytes: number
}

const inMb = (bytes: number) => Math.round(bytes / 1024 / 1024)
const resident = () => {
  globalThis.gc?.()
  return process.memoryUsage().rss
}

/** The resident part of the memory of WebAssembly: the only writable mapping of its size. */
function residentWasmBytes(): number {
  let most = { kilobytes: 0, resident: 0 }
  for (const [, kind, size, rss] of readFileSync('/proc/self/smaps', 'utf8').matchAll(
    /^[\da-f]+-[\da-f]+ (\S+) .*\nSize:\s+(\d+) kB\n(?:.*\n)*?Rss:\s+(\d+) kB$/gm,
  )) {
    if (kind === 'rw-p' && Number(size) > most.kilobytes) most = { kilobytes: Number(size), resident: Number(rss) }
  }
  return most.resident * 1024
}

const bare = resident()
const [{ pino }, { readConfig }, { startService }] = await Promise.all([
  import('pino'),
  import('../src/app/config.ts'),
  import('../src/app/service.ts'),
])
const withModules = resident()
const onCrash = (error: Error) => {
  throw error
}
const limits = { ofTier: () => 1e9, polls: 1e9, page: 1e9, feedback: 1e9, withoutKey: 1e9, files: 1_000_000 }
const service = await startService({ ...readConfig(), requestLimits: limits }, pino({ level: 'error' }), onCrash)
const started = resident()
const wasm = residentWasmBytes()
const { heapUsed, heapTotal, external } = process.memoryUsage()

const headers = { authorization: `Bearer ${readConfig().bootstrapApiKey}` }
for (let votes = 0; votes < 700; votes++) {
  const answer = await service.app.inject({
    url: `/api/v1/requests?limit=100&minVotes=${votes % 50}&since=2020-01-01&until=2030-01-${String(1 + (votes % 28)).padStart(2, '0')}`,
    headers,
  })
  if (answer.statusCode !== 200) throw new Error(answer.body)
}
const kept = resident()
const heapWithAnswers = process.memoryUsage().heapUsed
const parts: Part[] = [
  { part: 'bare Node', megabytes: inMb(bare) },
  { part: 'modules of the service', megabytes: inMb(withModules - bare) },
  { part: 'started: memory of WebAssembly (buffers, plans, Postgres itself)', megabytes: inMb(wasm) },
  {
    part: 'started: the rest (its compiled code, thread, queue, routes)',
    megabytes: inMb(started - withModules - wasm),
  },
  { part: 'after 700 large lists (answers kept, buffers filled)', megabytes: inMb(kept - started) },
  { part: 'JavaScript heap of the main thread: used', megabytes: inMb(heapUsed) },
  { part: 'JavaScript heap of the main thread: reserved', megabytes: inMb(heapTotal) },
  {
    part: 'JavaScript heap of the main thread: more used with those answers',
    megabytes: inMb(heapWithAnswers - heapUsed),
  },
  { part: 'external to the heap of the main thread', megabytes: inMb(external) },
]
await service.stop()
process.send?.(parts)
process.disconnect()
