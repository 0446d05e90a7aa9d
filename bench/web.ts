import { randomUUID } from 'node:crypto'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { pino } from 'pino'
import { type Browser, chromium } from 'playwright-core'
import { ensurePage } from '../scripts/build-dashboard.mjs'
import { startPlatformSimulator } from '../simulator/simulator.ts'
import { generateApiKey } from '../src/accounts/api-key.ts'
import { readConfig } from '../src/app/config.ts'
import { startService } from '../src/app/service.ts'
import { chromiumFlags, chromiumPath } from '../test/dashboard/chromium.ts'

// The page: what its script weighs on the wire, when something is seen, and when the results of a search are there. A cold
// browser profile each round, the real service on the embedded database, the medians of `rounds`.
// node bench/web.ts

const rounds = 15

const median = (values: number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN
const pageDirectory = fileURLToPath(new URL('../dashboard/dist', import.meta.url))

function reportSizes(): void {
  const index = readFileSync(join(pageDirectory, 'index.html'), 'utf8')
  for (const name of readdirSync(join(pageDirectory, 'assets'))) {
    // Beside them are those of earlier builds.
    if (!/\.(js|css)$/.test(name) || !index.includes(name)) continue
    const content = readFileSync(join(pageDirectory, 'assets', name))
    const [gzip, brotli] = [gzipSync(content, { level: 9 }).length, brotliCompressSync(content).length]
    console.log(`${name}: ${content.length} bytes, gzip ${gzip}, brotli ${brotli}`)
  }
}

/** @returns milliseconds from the navigation to the first paint of content, and to the first result of the search. */
async function measure(browser: Browser, url: string, apiKey: string) {
  const context = await browser.newContext({ baseURL: url })
  await context.request.post('/api/session', { data: { apiKey } })
  const page = await context.newPage()
  await page.goto('/?q=dark+mode')
  await page.locator('.results article').first().waitFor()
  const resultsMs: number = await page.evaluate('performance.now()')
  const paintMs: number = await page.evaluate(
    'performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? NaN',
  )
  // From the last letter to the answer: the pause of 500 ms, the call, the drawing.
  await page.locator('#search-box').fill('')
  const typedAt: number = await page.evaluate('performance.now()')
  await page.locator('#search-box').fill(`mode`)
  await page.getByRole('heading', { name: '“mode”' }).waitFor()
  await page.locator('.results:not([aria-busy=true]) article').first().waitFor()
  const typingMs: number = (await page.evaluate<number>('performance.now()')) - typedAt
  await context.close()
  return { paintMs, resultsMs, typingMs }
}

if (chromiumPath === null) throw new Error('There is no Chromium here.')
if (!ensurePage()) throw new Error('The page could not be built.')
reportSizes()
const dataDir = mkdtempSync(join(tmpdir(), `wishwell-bench-${randomUUID().slice(0, 8)}`))
const simulator = await startPlatformSimulator({ limits: 'none' })
const apiKey = generateApiKey()
const config = readConfig({
  PORT: '0',
  LOG_LEVEL: 'silent',
  DATA_DIR: dataDir,
  BOOTSTRAP_API_KEY: apiKey,
  ...simulator.environment,
})
const service = await startService(config, pino({ level: 'silent' }), (error) => {
  throw error
})
const browser = await chromium.launch({ executablePath: chromiumPath, args: chromiumFlags })
try {
  const url = service.address ?? ''
  const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' }
  const body = JSON.stringify({ topic: 'dark mode', depth: 5 })
  const { data } = (await (await fetch(`${url}/api/v1/scrape`, { method: 'POST', headers, body })).json()) as {
    data: { jobId: string }
  }
  // The stream of a job's events ends with the job.
  await (await fetch(`${url}/api/v1/scrape/${data.jobId}/events`, { headers })).text()
  const measured = []
  for (let round = 0; round < rounds; round++) measured.push(await measure(browser, url, apiKey))
  for (const figure of ['paintMs', 'resultsMs', 'typingMs'] as const) {
    console.log(`${figure}: median ${median(measured.map((one) => one[figure])).toFixed(0)} of ${rounds}`)
  }
} finally {
  await browser.close()
  await service.stop()
  await simulator.stop()
  rmSync(dataDir, { recursive: true, force: true })
}
