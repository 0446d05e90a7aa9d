import { fileURLToPath } from 'node:url'
import { type Browser, type BrowserContextOptions, chromium, type Page, type Route } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, vi } from 'vitest'
import {
  type PlatformSimulator,
  type SimulatorOptions,
  startPlatformSimulator,
} from '../platform-simulator/simulator.ts'
import { startTestService, type TestService, type TestServiceOptions } from '../service.ts'
import { chromiumFlags, chromiumPath } from './chromium.ts'

const pageDirectory = fileURLToPath(new URL('../../dashboard/dist', import.meta.url))

/** How long anything on the page may take: machines that test are slow, and nothing here is a figure. */
export const patienceMs = Number(process.env.PAGE_PATIENCE_MS ?? 30_000)
export const patient = { timeout: patienceMs, interval: 50 }

/** A group of tests of the page; skipped, with the reason printed by the global setup, where there is no browser. */
export const describePage = chromiumPath === null ? describe.skip : describe

export interface OpenOptions extends BrowserContextOptions {
  /** Signs in with this key before the page is opened; null for nobody. The first account's by default. */
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

/** What a page must never say: an exception, or a breach of the Content-Security-Policy. Refused calls are no fault of it. */
function watchFaults(page: Page, faults: string[]): void {
  page.on('pageerror', (error) => faults.push(String(error)))
  page.on('console', (message) => {
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource')) faults.push(message.text())
  })
}

/** One service, one simulator and one browser for a file of tests; every test gets profiles of its own. */
export function usePage({
  simulator: simulatorOptions,
  service: serviceOptions,
  platforms,
}: PageTestOptions = {}): PageTest {
  // Several waits of the patience above may follow one another.
  vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 })
  let service: TestService
  let simulator: PlatformSimulator
  let browser: Browser
  let faults: string[] = []
  beforeAll(async () => {
    if (chromiumPath === null) return
    simulator = await startPlatformSimulator({ limits: 'none', size: 60, ...simulatorOptions })
    service = await startTestService({
      ...serviceOptions,
      pageDirectory,
      platformTimeScale: 1000,
      environment: {
        PLATFORMS: platforms ?? 'github,hackernews,stackexchange',
        ...simulator.environment,
        ...serviceOptions?.environment,
      },
    })
    browser = await chromium.launch({ executablePath: chromiumPath, args: chromiumFlags, timeout: 120_000 })
  })
  afterEach(async () => {
    for (const context of browser?.contexts() ?? []) await context.close()
    const said = faults
    faults = []
    expect(said, 'exceptions and errors of the page').toEqual([])
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
    open: async (path, { as, ...options } = {}) => {
      const context = await browser.newContext({ baseURL: service.url, locale: 'en-GB', timezoneId: 'UTC', ...options })
      context.setDefaultTimeout(patienceMs)
      const key = as === undefined ? service.apiKey : as
      if (key !== null) {
        const answer = await context.request.post('/api/session', { data: { apiKey: key } })
        expect(answer.status()).toBe(200)
      }
      const page = await context.newPage()
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

/** What the service answers to a call that a test holds back; Playwright's own limit is too short for a slow machine. */
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
    const isAsked = typeof path === 'string' ? pathname === path : path.test(pathname)
    if (isAsked && request.method() === 'POST') keys.push(request.headers()['idempotency-key'] ?? '')
  })
  return keys
}
