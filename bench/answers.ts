import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { parseArgs } from 'node:util'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import { pino } from 'pino'
import { generateApiKey } from '../src/accounts/api-key.ts'
import { readConfig } from '../src/app/config.ts'
import { type Service, startService } from '../src/app/service.ts'
import { storePosts, usualLengths } from './answers-data.ts'
import { percentile, writeSection } from './report.ts'
import { callers, type Line, measure } from './search-measure.ts'

// The size of answers, the cost of compressing them, and how long a large one blocks the event loop.
//   node bench/answers.ts [--seconds 3] [--json] [--before FILE] [--write]
// `--json` prints the iterations of the event loop only. FILE is that output of an earlier version of the service, for a second column.

const { values: options } = parseArgs({
  options: {
    seconds: { type: 'string', default: '3' },
    json: { type: 'boolean', default: false },
    before: { type: 'string' },
    write: { type: 'boolean', default: false },
  },
})
const seconds = Number(options.seconds)
const apiKey = generateApiKey()
const authorization = `Bearer ${apiKey}`
const json = { authorization, 'content-type': 'application/json' }
const search = { query: 'dark mode', highlight: true }

const table = (header: Line, lines: Line[]) =>
  [header, header.map(() => '---'), ...lines].map((line) => `| ${line.join(' | ')} |`).join('\n')

/** Calls a second of sixteen clients, by what they accept. */
async function measureKept(service: Service, what: string): Promise<Line[]> {
  const lines: Line[] = []
  let plain = 0
  for (const encoding of ['identity', 'gzip', 'br']) {
    const { perSecond, bytes, times } = await measure({
      url: service.address ?? '',
      seconds,
      method: 'POST',
      path: '/api/v1/requests/search',
      headers: { ...json, 'accept-encoding': encoding },
      bodies: [JSON.stringify({ query: 'dark mode' })],
    })
    if (encoding === 'identity') plain = perSecond
    lines.push([
      what,
      encoding,
      `${(bytes / 1_000).toFixed(1)} kB`,
      times[0]!,
      perSecond.toFixed(0),
      (perSecond / plain).toFixed(2),
    ])
  }
  return lines
}

/** Bytes and milliseconds by which an answer could be compressed. */
async function measureQualities(service: Service): Promise<Line[]> {
  const lines: Line[] = []
  for (const limit of [20, 100]) {
    const body = JSON.stringify({ ...search, limit })
    const answer = await fetch(`${service.address}/api/v1/requests/search`, { method: 'POST', headers: json, body })
    const text = Buffer.from(await answer.text())
    const methods: [name: string, compress: () => Buffer][] = [
      ...[1, 6, 9].map((level): [string, () => Buffer] => [`gzip ${level}`, () => gzipSync(text, { level })]),
      ...[3, 4, 5, 6].map((quality): [string, () => Buffer] => {
        const params = { [constants.BROTLI_PARAM_QUALITY]: quality, [constants.BROTLI_PARAM_SIZE_HINT]: text.length }
        return [`br ${quality}`, () => brotliCompressSync(text, { params })]
      }),
    ]
    for (const [name, compress] of methods) {
      const times = Array.from({ length: 15 }, () => {
        const since = performance.now()
        compress()
        return performance.now() - since
      })
      const size = `${(compress().length / 1_000).toFixed(1)} kB`
      lines.push([
        `${limit} results, ${(text.length / 1_000).toFixed(0)} kB`,
        name,
        size,
        percentile(times, 0.5).toFixed(2),
      ])
    }
  }
  return lines
}

interface Turn {
  what: string
  bytes: number
  /** The maximum iteration of the event loop, as the median of the calls. */
  longestMs: number
  tookMs: number
}

const heavy: [what: string, path: string, method?: 'POST', body?: object][] = [
  ['search, 20 results, highlighted', '/api/v1/requests/search', 'POST', search],
  ['list, 100 long requests', '/api/v1/requests?topic=long+posts&limit=100'],
  ['list, 100 long requests, fullText', '/api/v1/requests?topic=long+posts&limit=100&fullText=true'],
  ['export, 100 long requests', '/api/v1/requests/export?topic=long+posts'],
]

/** How long a call delays other calls, while a client in another process reads its answer. */
async function measureTurns(service: Service): Promise<Turn[]> {
  const turns: Turn[] = []
  for (const [what, path, method = 'GET', body] of heavy) {
    const probe = await fetch(service.address + path, {
      method,
      headers: json,
      body: body ? JSON.stringify(body) : null,
    })
    const bytes = (await probe.arrayBuffer()).byteLength
    // An earlier version does not know the parameter.
    if (probe.status === 400) continue
    const delay = monitorEventLoopDelay({ resolution: 1 })
    const longest: number[] = []
    const took: number[] = []
    for (let call = 0; call < 9; call++) {
      delay.reset()
      delay.enable()
      const load = {
        url: service.address ?? '',
        method,
        path,
        headers: { ...json, 'accept-encoding': 'gzip' },
        seconds: 0.001,
      }
      const one = new Promise<{ times: number[] }>((resolve) =>
        callers.once('message', (said) => resolve(said as never)),
      )
      callers.send({ ...load, clients: 1, bodies: [JSON.stringify(body)] })
      took.push((await one).times[0]!)
      delay.disable()
      longest.push(delay.max / 1e6)
    }
    turns.push({ what, bytes, longestMs: percentile(longest, 0.5), tookMs: percentile(took, 0.5) })
  }
  return turns
}

function turnLines(turns: readonly Turn[], before: readonly Turn[]): Line[] {
  const cell = (turn: Turn | undefined) =>
    turn ? `${(turn.bytes / 1e6).toFixed(2)} MB, ${turn.longestMs.toFixed(0)} ms of ${turn.tookMs.toFixed(0)} ms` : ''
  return turns.map((turn) => [turn.what, cell(before.find(({ what }) => what === turn.what)), cell(turn)])
}

const dataDir = mkdtempSync(join(tmpdir(), 'wishwell-answers-'))
const config = readConfig({
  DATA_DIR: dataDir,
  PORT: '0',
  BOOTSTRAP_API_KEY: apiKey,
  ADMIN_API_KEY: 'admin-key-of-the-bench',
})
const fail = (error: Error) => {
  throw error
}
async function withService<T>(cachesResponses: boolean, use: (service: Service) => Promise<T>): Promise<T> {
  const limits = { ofTier: () => 1_000_000_000, polls: 1_000_000, withoutKey: 1_000_000, files: 1_000_000 }
  const measured = { ...config, requestLimits: limits, cachesResponses }
  const service = await startService(measured, pino({ level: 'silent' }), fail)
  try {
    return await use(service)
  } finally {
    await service.stop()
  }
}

try {
  await withService(true, async ({ database }) => {
    await storePosts(database.database, 'dark mode', usualLengths(400))
    // A quotation mark is two characters of JSON: a list of 100 such texts is 10 MB.
    const long = Array.from({ length: 100 }, () => 64_000)
    await storePosts(database.database, 'long posts', long, '"'.repeat(6))
  })
  const turns = await withService(false, measureTurns)
  if (options.json) console.log(JSON.stringify(turns))
  else {
    const kept = await withService(true, (service) => measureKept(service, 'kept'))
    const anew = await withService(false, (service) => measureKept(service, 'worked out anew'))
    const qualities = await withService(true, measureQualities)
    const before = (options.before ? JSON.parse(readFileSync(options.before, 'utf8')) : []) as Turn[]
    const text = [
      table(
        ['answer', 'accepted', 'on the wire', 'p50 ms', 'a second, 16 clients', 'of uncompressed'],
        [...kept, ...anew],
      ),
      table(['answer', 'compressed by', 'bytes', 'ms'], qualities),
      table(['call', 'before: size, longest turn of the time', 'now'], turnLines(turns, before)),
    ].join('\n\n')
    console.log(text)
    if (options.write) writeSection('answers', text)
  }
} finally {
  callers.kill()
  rmSync(dataDir, { recursive: true, force: true })
}
