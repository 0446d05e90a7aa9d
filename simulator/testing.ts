import { type IncomingHttpHeaders, request } from 'node:http'
import { onTestFinished } from 'vitest'
import type { Clock } from '../src/runtime/clock.ts'
import { type PlatformSimulator, type SimulatorOptions, startPlatformSimulator } from './simulator.ts'

/** Starts a simulator that ends with the test. */
export async function simulate(options: SimulatorOptions = {}): Promise<PlatformSimulator> {
  const simulator = await startPlatformSimulator({ limits: 'none', ...options })
  onTestFinished(() => simulator.stop())
  return simulator
}

export function movableClock(): Clock & { forward(ms: number): void } {
  let nowMs = Date.UTC(2026, 10, 20)
  return {
    now: () => new Date(nowMs),
    forward: (ms) => {
      nowMs += ms
    },
  }
}

/** The parts of a platform's body that these tests read. */
export interface Wire {
  [key: string]: unknown
  items: Record<string, unknown>[]
  hits: Record<string, unknown>[]
  total_count: number
  nbHits: number
  nbPages: number
  has_more: boolean
  message: string
}

/** Sends a request with a User-Agent and reads the JSON body. */
export async function ask(
  url: string,
  parameters: Record<string, string | number>,
  headers: Record<string, string> = {},
): Promise<{ status: number; headers: Headers; body: Wire }> {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(parameters)) query.set(name, String(value))
  const response = await fetch(`${url}?${query}`, { headers: { 'user-agent': 'simulator-test', ...headers } })
  return { status: response.status, headers: response.headers, body: (await response.json()) as Wire }
}

/** Sends a request without the headers that fetch adds. */
export function askBare(
  url: string,
  headers: Record<string, string> = {},
): Promise<{ status: number; headers: IncomingHttpHeaders; body: Buffer }> {
  return new Promise((resolve, reject) => {
    const asked = request(url, { headers }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('error', reject)
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(chunks) }),
      )
    })
    asked.on('error', reject).end()
  })
}

/** The target of rel="next" in a Link header, if there is one. */
export function nextLink(headers: Headers): string | null {
  return /<([^>]+)>; rel="next"/.exec(headers.get('link') ?? '')?.[1] ?? null
}
