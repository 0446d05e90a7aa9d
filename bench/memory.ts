import { fork } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { serviceFlags } from '../bin/run-node.mjs'
import { openPlatformNames } from '../src/platforms/registry.ts'
import { startLaunchedService } from './launched-service.ts'
import { loadRequests, searchWords } from './memory-data.ts'
import { runMixedLoad } from './memory-load.ts'
import type { Part } from './memory-parts.ts'
import { writeSection } from './report.ts'
import { startSimulator } from './simulator-client.ts'

// How much memory the service takes: started by its launcher, on a fresh directory and on one with many requests, at its start,
// after two idle minutes and after a mixed load, with simulated platforms. Linux only (/proc).
//   node bench/memory.ts [--requests 100000] [--minutes 10] [--idle 120] [--quick] [--write]
//     [--data-dir DIR]   stores the loaded database there, and reuses one that is there
//     [--curve]          instead, prints what is resident in each minute of the load, with the many requests alone
//   node bench/memory.ts --draw FILE [--draw FILE]      docs/images/memory.svg, of what such runs printed last: now, and before

const { values } = parseArgs({
  options: {
    requests: { type: 'string' },
    minutes: { type: 'string' },
    idle: { type: 'string' },
    callers: { type: 'string', default: '8' },
    quick: { type: 'boolean', default: false },
    write: { type: 'boolean', default: false },
    'data-dir': { type: 'string' },
    curve: { type: 'boolean', default: false },
    draw: { type: 'string', multiple: true },
  },
})
const requests = Number(values.requests ?? (values.quick ? 2_000 : 100_000))
const minutes = Number(values.minutes ?? (values.quick ? 0.5 : 10))
const idleSeconds = Number(values.idle ?? (values.quick ? 10 : 120))
const adminKey = 'admin-key-of-the-benchmark'
const apiKey = `ww_live_${'m'.repeat(32)}`

async function startLoaded(dataDir: string) {
  const simulator = await startSimulator({ limits: 'real', size: 420, latencyMs: 20 })
  const running = await startLaunchedService({
    ...simulator.environment,
    PLATFORMS: openPlatformNames.join(','),
    DATA_DIR: dataDir,
    ADMIN_API_KEY: adminKey,
    BOOTSTRAP_API_KEY: apiKey,
  })
  return { simulator, running }
}

async function measureStart(name: string, dataDir: string): Promise<string[]> {
  const { simulator, running } = await startLoaded(dataDir)
  try {
    const start = running.service()
    console.log(`${name}: started, ${JSON.stringify(start)}, all together at most ${running.peakOfAll()}`)
    await sleep(idleSeconds * 1_000)
    const idle = running.service()
    console.log(`${name}: idle for ${idleSeconds} s, ${JSON.stringify(idle)}`)
    const load = {
      url: running.url,
      adminKey,
      callers: Number(values.callers),
      seconds: minutes * 60,
      words: searchWords(),
    }
    const { calls, failed } = await runMixedLoad(load)
    const loaded = running.service()
    console.log(`${name}: after ${minutes} minutes of load, ${JSON.stringify({ ...loaded, calls, failed })}`)
    await sleep(idleSeconds * 1_000)
    const after = running.service()
    const figures = [start.peak, start.resident, idle.resident, loaded.resident, loaded.peak, after.resident]
    return [name, ...[...figures, running.launcher().resident, running.peakOfAll()].map(String)]
  } finally {
    await running.stop()
    await simulator.stop()
  }
}

/** What is resident at the start and after each minute of load, in megabytes. */
async function measureCurve(dataDir: string): Promise<number[]> {
  const { simulator, running } = await startLoaded(dataDir)
  const samples = [running.service().resident]
  const timer = setInterval(() => {
    samples.push(running.service().resident)
    console.log(`minute ${samples.length - 1}: ${samples.at(-1)} MB`)
  }, 60_000)
  try {
    const callers = Number(values.callers)
    console.log(
      await runMixedLoad({ url: running.url, adminKey, callers, seconds: minutes * 60, words: searchWords() }),
    )
    return samples
  } finally {
    clearInterval(timer)
    await running.stop()
    await simulator.stop()
  }
}

const colours = ['#4f46e5', '#c2410c']

/** A line of each run over its minutes, with megabytes at the left. */
function drawCurves(runs: readonly (readonly number[])[]): string {
  const [width, height, left, bottom] = [640, 240, 48, 24]
  const top = 100 * Math.ceil((Math.max(...runs.flat()) + 1) / 100)
  const minutesOfRun = Math.max(1, ...runs.map((samples) => samples.length - 1))
  const x = (minute: number) => left + ((width - left - 12) * minute) / minutesOfRun
  const y = (megabytes: number) => height - bottom - ((height - bottom - 12) * megabytes) / top
  const lines = Array.from({ length: top / 100 + 1 }, (_, index) => index * 100).map(
    (megabytes) =>
      `<path d="M${left} ${y(megabytes)}H${width - 12}" stroke="#ccc"/><text x="${left - 6}" y="${y(megabytes) + 4}" text-anchor="end">${megabytes}</text>`,
  )
  const minutesShown = Array.from({ length: 7 }, (_, index) => Math.round((minutesOfRun * index) / 6))
  const ticks = minutesShown.map((at) => `<text x="${x(at)}" y="${height - 6}" text-anchor="middle">${at} min</text>`)
  const drawn = runs.map((samples, run) => {
    const points = samples.map((megabytes, minute) => `${x(minute).toFixed(1)},${y(megabytes).toFixed(1)}`).join(' ')
    return `<polyline points="${points}" fill="none" stroke="${colours[run % colours.length]}" stroke-width="2"/>`
  })
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="sans-serif" font-size="11" fill="#444">
<title>Resident megabytes by minute</title>
<rect width="${width}" height="${height}" fill="#fff"/>
${[...lines, ...ticks].join('\n')}
${drawn.join('\n')}
</svg>
`
}

async function measureParts(dataDir: string): Promise<Part[]> {
  const file = fileURLToPath(new URL('memory-parts.ts', import.meta.url))
  const child = fork(file, {
    execArgv: ['--expose-gc', ...serviceFlags],
    env: {
      PATH: process.env.PATH,
      DATA_DIR: dataDir,
      PORT: '0',
      ADMIN_API_KEY: adminKey,
      BOOTSTRAP_API_KEY: apiKey,
    },
  })
  const [parts] = (await once(child, 'message')) as [Part[]]
  await once(child, 'exit')
  return parts
}

const table = (head: string[], lines: string[][]) =>
  [head, head.map(() => '---'), ...lines].map((cells) => `| ${cells.join(' | ')} |`).join('\n')

async function run(): Promise<void> {
  const fresh = mkdtempSync(join(tmpdir(), 'wishwell-bench-memory-'))
  const loaded = values['data-dir'] ?? mkdtempSync(join(tmpdir(), 'wishwell-bench-memory-'))
  mkdirSync(loaded, { recursive: true, mode: 0o700 })
  const marker = join(loaded, `loaded-${requests}`)
  try {
    if (values.curve) {
      if (!existsSync(marker)) await loadRequests(loaded, adminKey, requests)
      writeFileSync(marker, '')
      const samples = await measureCurve(loaded)
      console.log(samples.join(' '))
      return
    }
    const lines = [await measureStart('fresh directory', fresh)]
    const parts = await measureParts(fresh)
    if (!existsSync(marker)) {
      await loadRequests(loaded, adminKey, requests)
      writeFileSync(marker, '')
    }
    lines.push(await measureStart(`${requests.toLocaleString('en')} requests`, loaded))
    const head = [
      'megabytes',
      'peak of the start',
      'started',
      `idle for ${idleSeconds} s`,
      `after ${minutes} min of load`,
    ]
    const report = [
      `Measured ${new Date().toISOString().slice(0, 10)}, ${values.callers} callers, Node ${process.version}.`,
      table([...head, 'peak', `idle again`, 'launcher', 'all processes, peak'], lines),
      table(
        ['part, fresh directory', 'megabytes'],
        parts.map(({ part, megabytes }) => [part, String(megabytes)]),
      ),
    ].join('\n\n')
    console.log(report)
    if (values.write) writeSection('memory', report)
  } finally {
    rmSync(fresh, { recursive: true, force: true })
    if (values['data-dir'] === undefined) rmSync(loaded, { recursive: true, force: true })
  }
}

const samplesIn = (file: string) => readFileSync(file, 'utf8').trim().split('\n').at(-1)!.split(' ').map(Number)

if (values.draw) {
  const picture = fileURLToPath(new URL('../docs/images/memory.svg', import.meta.url))
  writeFileSync(picture, drawCurves(values.draw.map(samplesIn)))
} else if (process.platform === 'linux') await run()
else console.log('skipped: the memory of another process is read from /proc, which only Linux has')
