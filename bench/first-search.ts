import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { pino } from 'pino'
import { type Browser, type BrowserContext, chromium } from 'playwright-core'
import { ensurePage } from '../scripts/build-dashboard.mjs'
import { generateApiKey } from '../src/accounts/api-key.ts'
import { readConfig } from '../src/app/config.ts'
import { startService } from '../src/app/service.ts'
import { chromiumFlags, chromiumPath } from '../test/dashboard/chromium.ts'
import { storePosts, usualLengths } from './answers-data.ts'
import { percentile, writeSection } from './report.ts'

// The page's first search over a slow line, 50 kB a second and 400 ms to and fro: when its first result is seen, and what came over
// the wire until then; with an empty browser cache, and once more with what that left there.
//   node bench/first-search.ts [--rounds 5] [--verbose] [--json] [--before FILE] [--write]

const { values: options } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    json: { type: 'boolean', default: false },
    verbose: { type: 'boolean', default: false },
    before: { type: 'string' },
    write: { type: 'boolean', default: false },
  },
})
const line = { offline: false, latency: 400, downloadThroughput: 50_000, uploadThroughput: 50_000 }

interface Entry {
  name: string
  startTime: number
  responseEnd: number
  transferSize: number
}

interface Visit {
  seconds: number
  kilobytes: number
}

/** One visit of `/?q=dark+mode`, from the navigation to the first result. */
async function visit(context: BrowserContext): Promise<Visit> {
  const page = await context.newPage()
  page.setDefaultTimeout(120_000)
  const session = await context.newCDPSession(page)
  await session.send('Network.enable')
  await session.send('Network.emulateNetworkConditions', line)
  await page.goto('/?q=dark+mode', { waitUntil: 'commit' })
  await page.locator('.results article').first().waitFor()
  const seconds = (await page.evaluate<number>('performance.now()')) / 1_000
  const entries = await page.evaluate<Entry[]>(
    `['navigation', 'resource'].flatMap((type) => performance.getEntriesByType(type)).map((entry) => entry.toJSON())`,
  )
  if (options.verbose)
    for (const { name, startTime, responseEnd, transferSize } of entries) {
      console.error(`${startTime.toFixed(0)} to ${responseEnd.toFixed(0)} ms, ${transferSize} bytes: ${name}`)
    }
  await page.close()
  return { seconds, kilobytes: entries.reduce((sum, { transferSize }) => sum + transferSize, 0) / 1_000 }
}

async function round(browser: Browser, url: string, apiKey: string): Promise<{ cold: Visit; warm: Visit }> {
  const context = await browser.newContext({ baseURL: url })
  try {
    await context.request.post('/api/session', { data: { apiKey } })
    return { cold: await visit(context), warm: await visit(context) }
  } finally {
    await context.close()
  }
}

if (chromiumPath === null) throw new Error('There is no Chromium here.')
if (!ensurePage()) throw new Error('The page could not be built.')
const dataDir = mkdtempSync(join(tmpdir(), 'wishwell-first-search-'))
const apiKey = generateApiKey()
const config = readConfig({
  PORT: '0',
  DATA_DIR: dataDir,
  BOOTSTRAP_API_KEY: apiKey,
  ADMIN_API_KEY: 'admin-key-of-the-bench',
})
const service = await startService(config, pino({ level: 'silent' }), (error) => {
  throw error
})
const browser = await chromium.launch({ executablePath: chromiumPath, args: chromiumFlags })
try {
  await storePosts(service.database.database, 'dark mode', usualLengths(400))
  const rounds: Awaited<ReturnType<typeof round>>[] = []
  for (let count = 0; count < Number(options.rounds); count++) {
    rounds.push(await round(browser, service.address ?? '', apiKey))
  }
  const median = (of: (one: (typeof rounds)[number]) => number) => percentile(rounds.map(of), 0.5)
  const figures = (['cold', 'warm'] as const).map((kind) => ({
    kind,
    seconds: median((one) => one[kind].seconds),
    kilobytes: median((one) => one[kind].kilobytes),
  }))
  if (options.json) console.log(JSON.stringify(figures))
  else {
    const before = (options.before ? JSON.parse(readFileSync(options.before, 'utf8')) : []) as typeof figures
    const cell = (one: Visit | undefined) => (one ? `${one.seconds.toFixed(1)} s, ${one.kilobytes.toFixed(0)} kB` : '')
    const lines = figures.map(
      (one) => `| ${one.kind} | ${cell(before.find(({ kind }) => kind === one.kind))} | ${cell(one)} |`,
    )
    const text = ['| browser cache | before | now |', '| --- | --- | --- |', ...lines].join('\n')
    console.log(text)
    if (options.write) writeSection('first search', text)
  }
} finally {
  await browser.close()
  await service.stop()
  rmSync(dataDir, { recursive: true, force: true })
}
