import { fileURLToPath } from 'node:url'
import { type Browser, type BrowserContextOptions, chromium, type Page, type Route } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, vi } from 'vitest'
import { type PlatformSimulator, type SimulatorOptions, startPlatformSimulator } from '../../simulator/simulator.ts'
import { startTestService, type TestService, type TestServiceOptions } from '../service.ts'
import { chromiumFlags, chromiumPath } from './chromium.ts'

const pageDirectory = fileURLToPath(new URL('../../dashboard/dist', import.meta.url))

/** The time limit of every wait: test machines may be slow, and these tests measure nothing. */
export const patienceMs = Number(process.env.PAGE_PATIENCE_MS ?? 30_000)
export const patient = { timeout: patienceMs, interval: 50 }

/** A group of tests of the page; skipped, with the reason printed by the global setup, where there is no browser. */
export const describePage = chromiumPath === null ? describe.skip : describe

export interface OpenOptions extends BrowserContextOptions {
  /** Signs in with this key before the page is opened; null for no session. By default the key of the first account. */
  as?: string | null
}

export interface PageTest {
  readonly service: TestService
  readonly simulator: PlatformSimulator
  /** A fresh browser profile at an address of the service. It ends with the test. */
  open(path: string, options?: OpenOptions): Promise<Page>
  /** Collects a topic and waits for the end of the job. @returns its id. */
  collect(topic: string, more?: { platforms?: string[]; depth?: number }): Promise<string>
}

export interface PageTestOptions {
  simulator?: SimulatorOptions
  service?: TestServiceOptions
  /** The platforms that are on. */
  platforms?: string
}

/** Records exceptions and breaches of the Content-Security-Policy, which no page may have. Refused calls are allowed. */
function watchFaults(page: Page, faults: string[]): void {
  page.on('pageerror', (error) => faults.push(String(error)))
  page.on('console', (message) => {
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource')) faults.push(message.text())
  })
}

/** A page of a new browser profile, signed in before the page is opened. */
async function openProfile(browser: Browser, service: TestService, { as, ...options }: OpenOptions): Promise<Page> {
  const context = await browser.newContext({ baseURL: service.url, locale: 'en-GB', timezoneId: 'UTC', ...options })
  context.setDefaultTimeout(patienceMs)
  // As over plain HTTP from another machine: browsers offer it on localhost and by HTTPS only.
  await context.addInitScript('delete Crypto.prototype.randomUUID')
  const key = as === undefined ? service.apiKey : as
  if (key !== null) {
    const answer = await context.request.post('/api/session', { data: { apiKey: key } })
    expect(answer.status()).toBe(200)
  }
  return context.newPage()
}

/** The service with the built page, and the simulator whose platforms it collects from. */
async function startServices(options: PageTestOptions) {
  const simulator = await startPlatformSimulator({ limits: 'none', size: 60, ...options.simulator })
  const service = await startTestService({
    ...options.service,
    pageDirectory,
    platformTimeScale: 1000,
    environment: {
      PLATFORMS: options.platforms ?? 'github,hackernews,stackexchange',
      ...simulator.environment,
      ...options.service?.environment,
    },
  })
  return { simulator, service }
}

/** One service, one simulator and one browser for a file of tests; every test gets profiles of its own. */
export function usePage(options: PageTestOptions = {}): PageTest {
  // A test may wait several times, each time as long as patienceMs.
  vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 })
  let service: TestService
  let simulator: PlatformSimulator
  let browser: Browser
  let faults: string[] = []
  beforeAll(async () => {
    if (chromiumPath === null) return
    const started = await startServices(options)
    simulator = started.simulator
    service = started.service
    browser = await chromium.launch({ executablePath: chromiumPath, args: chromiumFlags, timeout: 120_000 })
  })
  afterEach(async () => {
    for (const context of browser?.contexts() ?? []) await context.close()
    const found = faults
    faults = []
    expect(found, 'exceptions and errors of the page').toEqual([])
  })
  afterAll(async () => {
    await browser?.close()
    await service?.stop()
    await simulator?.stop()
  })
  return {
    get service() {
      return service
    },
    get simulator() {
      return simulator
    },
    open: async (path, profile = {}) => {
      const page = await openProfile(browser, service, profile)
      watchFaults(page, faults)
      await page.goto(path)
      return page
    },
    collect: async (topic, more = {}) => {
      const { body } = await service.client.scrape({ topic, ...more })
      await service.client.waitForJob(body.data.jobId, patienceMs * 2)
      return body.data.jobId
    },
  }
}

/** The answer of the service to a call that a test delays; Playwright's own limit is too short for a slow machine. */
export const answerOf = (route: Route) => route.fetch({ timeout: patienceMs * 4 })

/** The addresses of the calls of the API that a page makes from now on, as `POST /api/v1/…` without query. */
export function recordCalls(page: Page): string[] {
  const calls: string[] = []
  page.on('request', (request) => {
    const { pathname } = new URL(request.url())
    if (pathname.startsWith('/api/')) calls.push(`${request.method()} ${pathname}`)
  })
  return calls
}

/** The JSON of each call of a path that a page makes from now on. */
export function recordBodies(page: Page, path: string): Record<string, unknown>[] {
  const bodies: Record<string, unknown>[] = []
  page.on('request', (request) => {
    if (new URL(request.url()).pathname === path) bodies.push(request.postDataJSON())
  })
  return bodies
}

/** The `Idempotency-Key` of each call of a path that a page makes from now on. */
export function recordKeys(page: Page, path: string | RegExp): string[] {
  const keys: string[] = []
  page.on('request', (request) => {
    const { pathname } = new URL(request.url())
    const matches = typeof path === 'string' ? pathname === path : path.test(pathname)
    if (matches && request.method() === 'POST') keys.push(request.headers()['idempotency-key'] ?? '')
  })
  return keys
}

/** A figure of a job, by its name. */
export const jobFigure = (page: Page, name: string) =>
  page.locator('.figures > div', { has: page.getByText(name, { exact: true }) }).locator('dd')
/** A platform in the table of a job. */
export const platformRow = (page: Page, platform: string) =>
  page.locator('.job-platforms tbody tr', { hasText: platform }).first()
