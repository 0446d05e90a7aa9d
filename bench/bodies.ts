import { createJsonReader } from '../src/platforms/client/json-reader.ts'

// How long, in the time of its thread, an answer of a platform holds the event loop, read in one go and as the client reads it.
//   node --expose-gc bench/bodies.ts

const rounds = 3
const megabyte = 1024 * 1024

const issue = (id: number) => ({
  id,
  title: `Dark mode ${id}`,
  body: 'Please add "dark" mode, ü 日本.\n'.repeat(100),
  labels: [{ id, name: 'enhancement' }],
  user: { login: 'ada', id },
  reactions: { '+1': id, '-1': 0 },
  ...Object.fromEntries(Array.from({ length: 60 }, (_, index) => [`field_${index}`, `https://api.example/${index}`])),
})
const repeat = (size: number, perItem: number, make: (index: number) => unknown) =>
  Array.from({ length: Math.floor(size / perItem) }, (_, index) => make(index))

/** Texts of about `size` bytes, by the feature that makes them expensive to parse. */
const texts: Record<string, (size: number) => string> = {
  'issues of a platform': (size) => JSON.stringify({ items: repeat(size, 7_000, issue) }),
  'a list of small objects': (size) => JSON.stringify({ items: repeat(size, 13, (id) => ({ id: id % 1e6 })) }),
  'an object of many names': (size) =>
    JSON.stringify(Object.fromEntries(repeat(size, 17, (id) => [`k${id}`, id]) as [string, unknown][])),
  'a list of numbers': (size) => JSON.stringify({ items: repeat(size, 2, (id) => id % 10) }),
  'one text': (size) => JSON.stringify({ text: 'ü'.repeat(size / 2) }),
  'lists in lists without end': (size) => `{"items":${'['.repeat(size)}`,
}

/** The earlier implementation: all at once, on the main thread. */
const inOneGo = async (bytes: Uint8Array) => JSON.parse(new TextDecoder().decode(bytes))

interface Cost {
  longestTurnMs: number
  totalMs: number
}

async function measure(read: (bytes: Buffer<ArrayBuffer>) => Promise<unknown>, text: string): Promise<Cost> {
  const bytes = Buffer.from(text)
  globalThis.gc?.()
  let isOver = false
  let longestTurnMs = 0
  // The processor's time of this thread alone: a busy machine would be taken for a busy event loop.
  const usedMs = () => {
    const { user, system } = process.threadCpuUsage()
    return (user + system) / 1000
  }
  const begunAt = performance.now()
  let turnAt = usedMs()
  const reading = read(bytes).catch(() => {})
  reading.then(() => {
    isOver = true
  })
  do {
    await new Promise((resolve) => setImmediate(resolve))
    const now = usedMs()
    longestTurnMs = Math.max(longestTurnMs, now - turnAt)
    turnAt = now
  } while (!isOver)
  return { longestTurnMs, totalMs: performance.now() - begunAt }
}

const median = (values: number[]) => values.sort((a, b) => a - b)[values.length >> 1]!

async function medians(read: (bytes: Buffer<ArrayBuffer>) => Promise<unknown>, text: string): Promise<string> {
  const costs: Cost[] = []
  for (let round = 0; round < rounds; round++) costs.push(await measure(read, text))
  const longest = median(costs.map((cost) => cost.longestTurnMs))
  return `${longest.toFixed(1).padStart(9)} ${median(costs.map((cost) => cost.totalMs))
    .toFixed(0)
    .padStart(7)}`
}

const reader = createJsonReader()
console.log(
  'longest turn of the event loop and whole time, ms: in one go, then as the client reads it; medians of',
  rounds,
)
for (const size of [megabyte, 9.8 * megabyte]) {
  console.log(`${(size / megabyte).toFixed(1)} MB`)
  for (const [name, make] of Object.entries(texts)) {
    const text = make(Math.floor(size * 0.99))
    const before = await medians(inOneGo, text)
    console.log(`  ${name.padEnd(28)} ${before}   ${await medians(reader.read, text)}`)
  }
}
globalThis.gc?.()
const held = process.memoryUsage().rss
await reader.close()
globalThis.gc?.()
console.log(`memory of the thread while it is kept: ${((held - process.memoryUsage().rss) / megabyte).toFixed(0)} MB`)
