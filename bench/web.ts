import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { type Browser, chromium, type Page } from 'playwright-core'
import { ensurePage } from '../scripts/build-dashboard.mjs'
import { startPlatformSimulator } from '../simulator/simulator.ts'
import { generateApiKey } from '../src/accounts/api-key.ts'
import { readConfig } from '../src/app/config.ts'
import { startService } from '../src/app/service.ts'
import { chromiumFlags, chromiumPath } from '../test/dashboard/chromium.ts'

// The page: what its first load weighs on the wire, when something is seen, how long after a key the results are there, and how smoothly
// ten thousand rows scroll. A cold browser profile each round, the real service on the embedded database, medians.
// node bench/web.ts

const rounds = 15

const sorted = (values: number[]) => values.toSorted((a, b) => a - b)
const at = (values: number[], share: number): number =>
  sorted(values)[Math.min(values.length - 1, Math.floor(values.length * share))] ?? Number.NaN
const median = (values: number[]): number => at(values, 0.5)

async function open(browser: Browser, url: string, apiKey: string): Promise<Page> {
  const context = await browser.newContext({ baseURL: url, viewport: { width: 1440, height: 900 } })
  await context.request.post('/api/session', { data: { apiKey } })
  return context.newPage()
}

const firstRow = (page: Page) => page.locator('.wish-list[aria-busy=false] .wish-row').first()

/** @returns bytes of the files of a first load on the list, and milliseconds to the first paint and to the first row. */
async function measureLoad(browser: Browser, url: string, apiKey: string) {
  const page = await open(browser, url, apiKey)
  await page.goto('/wishes?q=dark+mode')
  await firstRow(page).waitFor()
  const rowsMs: number = await page.evaluate('performance.now()')
  const paintMs: number = await page.evaluate(
    'performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? NaN',
  )
  const bytes: number = await page.evaluate(
    'performance.getEntriesByType("resource").filter(({ name }) => !name.includes("/api/")).reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0)' +
      ' + performance.getEntriesByType("navigation")[0].encodedBodySize',
  )
  await page.context().close()
  return { bytes, paintMs, rowsMs }
}

const typed = ['dark mode', 'offline', 'keyboard shortcuts', 'export csv']

/** Milliseconds from each key to the rows of what the box has then. @param slowdown of the processor @param latencyMs of the network */
async function measureTyping(browser: Browser, url: string, apiKey: string, { slowdown = 1, latencyMs = 0 }) {
  const page = await open(browser, url, apiKey)
  const session = await page.context().newCDPSession(page)
  await page.goto('/wishes')
  await firstRow(page).waitFor()
  await session.send('Emulation.setCPUThrottlingRate', { rate: slowdown })
  if (latencyMs > 0) {
    const network = { offline: false, latency: latencyMs, downloadThroughput: -1, uploadThroughput: -1 }
    await session.send('Network.emulateNetworkConditions', network)
  }
  // The list is marked as busy in the frame of the key, and as current when its rows are drawn.
  await page.evaluate(`window.times = []; let since = 0
    document.addEventListener('keydown', () => { since = performance.now() }, true)
    new MutationObserver(() => {
      const list = document.querySelector('.wish-list')
      if (since > 0 && list?.getAttribute('aria-busy') === 'false') { window.times.push(performance.now() - since); since = 0 }
    }).observe(document.body, { subtree: true, attributes: true, attributeFilter: ['aria-busy'] })`)
  for (const text of typed) {
    await page.locator('#search-box').fill('')
    await page.waitForTimeout(500 + latencyMs)
    await page.locator('#search-box').pressSequentially(text, { delay: 250 + 2 * latencyMs })
  }
  await page.waitForTimeout(500 + 2 * latencyMs)
  const times = await page.evaluate<number[]>('window.times')
  await page.context().close()
  return times
}

const manyRows = 10_000

/** Milliseconds between frames while ten thousand rows scroll by. They are copies of the stored ones: only drawing them is measured. */
async function measureScrolling(browser: Browser, url: string, apiKey: string) {
  const page = await open(browser, url, apiKey)
  await page.route('**/api/v1/wishes?**', async (route) => {
    const asked = new URL(route.request().url())
    const from = Number(asked.searchParams.get('cursor') ?? 0)
    asked.searchParams.delete('cursor')
    const { data } = await (await route.fetch({ url: asked.href })).json()
    const results = Array.from({ length: 50 }, (_, index) => ({
      ...data.results[index % data.results.length],
      wishId: `00000000-0000-4000-8000-${String(from + index).padStart(12, '0')}`,
    }))
    const end = from + 50
    const hasMore = end < manyRows
    await route.fulfill({ json: { data: { results, hasMore, cursor: hasMore ? String(end) : null } } })
  })
  await page.goto('/wishes')
  await firstRow(page).waitFor()
  const frames = await page.evaluate<number[]>(`new Promise((resolve) => {
    const frames = []; let before = performance.now()
    const step = (now) => {
      frames.push(now - before); before = now
      window.scrollBy(0, 900)
      const rows = document.querySelectorAll('.wish-list > li')
      const last = rows[rows.length - 1]?.getAttribute('aria-posinset')
      if (Number(last) >= ${manyRows} || frames.length > 20_000) resolve(frames)
      else requestAnimationFrame(step)
    }
    requestAnimationFrame(step)
  })`)
  const elements = await page.locator('.wish-list > li').count()
  await page.context().close()
  return { frames, elements }
}

if (chromiumPath === null) throw new Error('There is no Chromium here.')
if (!ensurePage()) throw new Error('The page could not be built.')
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
  const loads = []
  for (let round = 0; round < rounds; round++) loads.push(await measureLoad(browser, url, apiKey))
  console.log(`first load of the list: ${(median(loads.map(({ bytes }) => bytes)) / 1000).toFixed(1)} kB`)
  for (const figure of ['paintMs', 'rowsMs'] as const) {
    console.log(`${figure}: median ${median(loads.map((one) => one[figure])).toFixed(0)} of ${rounds}`)
  }
  const conditions = { loopback: {}, 'CPU x4': { slowdown: 4 }, '400 ms of delay': { latencyMs: 400 } }
  for (const [name, condition] of Object.entries(conditions)) {
    const times = await measureTyping(browser, url, apiKey, condition)
    console.log(
      `key to results, ${name}: p50 ${median(times).toFixed(0)} ms, p95 ${at(times, 0.95).toFixed(0)} ms of ${times.length}`,
    )
  }
  const { frames, elements } = await measureScrolling(browser, url, apiKey)
  const late = frames.filter((ms) => ms > 50).length
  console.log(
    `${manyRows} rows scrolled in ${frames.length} frames: p50 ${median(frames).toFixed(1)} ms, p95 ${at(frames, 0.95).toFixed(1)} ms, ` +
      `${late} over 50 ms; ${elements} rows in the document`,
  )
} finally {
  await browser.close()
  await service.stop()
  await simulator.stop()
  rmSync(dataDir, { recursive: true, force: true })
}
