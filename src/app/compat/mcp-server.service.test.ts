import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { childEnvironment } from '../../../test/child-environment.ts'
import { foundRequest, platformMap, scriptedPlatform } from '../../../test/scripted-platform.ts'
import { startTestService, type TestService } from '../../../test/service.ts'
import { PlatformError } from '../../platforms/platform.ts'

// Holds (HTTP and secrets): RequestHunt's four public MCP tools run here after changing only the address

// The server is not ours, and npm does not have it. To run these tests, in the folder that has this checkout:
//   git clone https://github.com/ReScienceLab/requesthunt-mcp-server
//   cd requesthunt-mcp-server && npm ci && npm run build
// TEST_REQUESTHUNT_MCP=DIR names another place.
const directory = resolve(
  process.env.TEST_REQUESTHUNT_MCP ?? join(import.meta.dirname, '../../../../requesthunt-mcp-server'),
)
const isBuilt = existsSync(join(directory, 'dist/index.js'))
if (!isBuilt) console.log(`RequestHunt's MCP server is not tested: it is not built in ${directory}.`)

/** A topic that the platform refuses. */
const refused = 'forbidden fruit'

/** Of the scripted platform, whose ids are those of the topic: the second collection of a topic finds nothing new. */
const requestsAbout = (topic: string) =>
  [1, 2, 3].map((number) =>
    foundRequest(`${topic}-${number}`, {
      title: `Please add ${topic} ${number}`,
      description: `We need ${topic} `.repeat(20),
      votes: number,
    }),
  )

interface ToolAnswer {
  text: string
  isError: boolean
}

interface McpServer {
  toolNames(): Promise<string[]>
  call(name: string, given?: Record<string, unknown>): Promise<ToolAnswer>
  stop(): Promise<void>
}

/** A copy of the server, with another address in place of the one that it has as a constant. */
function copyWithAddress(address: string): string {
  const copy = mkdtempSync(join(tmpdir(), 'wishwell-requesthunt-'))
  for (const name of ['dist', 'package.json']) cpSync(join(directory, name), join(copy, name), { recursive: true })
  symlinkSync(join(directory, 'node_modules'), join(copy, 'node_modules'))
  const file = join(copy, 'dist/api.js')
  const parts = readFileSync(file, 'utf8').split('"https://requesthunt.com/')
  expect(parts, 'the address is in one place').toHaveLength(2)
  writeFileSync(file, parts.join(`"${address}/`))
  return copy
}

/** Sends JSON-RPC to a process, one message a line, and gives the result with the id of each call. */
function callerOf(child: ChildProcess) {
  const results = new Map<number, (result: unknown) => void>()
  let lastId = 0
  createInterface({ input: child.stdout! }).on('line', (line) => {
    const { id, result, error } = JSON.parse(line)
    results.get(id)?.(result ?? Promise.reject(new Error(JSON.stringify(error))))
  })
  const send = (message: object) => child.stdin!.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
  const call = (method: string, params: object) => {
    const id = ++lastId
    send({ id, method, params })
    // biome-ignore lint/suspicious/noExplicitAny: results of any method.
    return new Promise<any>((resolve) => results.set(id, resolve))
  }
  return { send, call }
}

async function startMcpServer(service: TestService, apiKey = service.apiKey): Promise<McpServer> {
  const copy = copyWithAddress(`${service.url}/compat/requesthunt`)
  const child = spawn(process.execPath, [join(copy, 'dist/index.js')], {
    env: { ...childEnvironment, REQUESTHUNT_API_KEY: apiKey },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const { send, call } = callerOf(child)
  const clientInfo = { name: 'test', version: '1' }
  await call('initialize', { protocolVersion: '2024-11-05', capabilities: {}, clientInfo })
  send({ method: 'notifications/initialized' })
  return {
    toolNames: async () => (await call('tools/list', {})).tools.map(({ name }: { name: string }) => name),
    call: async (name, given = {}) => {
      const { content, isError = false } = await call('tools/call', { name, arguments: given })
      return { text: content[0].text, isError }
    },
    stop: async () => {
      const exited = once(child, 'exit')
      child.kill()
      await exited
      rmSync(copy, { recursive: true })
    },
  }
}

/** What the server shows of a request. */
const shown = (rank: number, topic: string, number: number) =>
  `${rank}. **Please add ${topic} ${number}** (${number} votes)
   Platform: github | Topic: ${topic}
   ${`We need ${topic} `.repeat(20).slice(0, 200)}...
   Source: https://example.org/${topic}-${number}`

describe.skipIf(!isBuilt)("RequestHunt's MCP server, with another address", () => {
  let service: TestService
  let server: McpServer

  beforeAll(async () => {
    const github = scriptedPlatform('github', (_call, { topic }) => {
      if (topic === refused) throw new PlatformError('blocked', 'GitHub refused this address.')
      return { requests: requestsAbout(topic), nextCursor: null }
    })
    service = await startTestService({ platforms: platformMap(github), environment: { PLATFORMS: 'github' } })
    for (const topic of ['dark mode', 'offline maps']) {
      const { body } = await service.client.scrape({ topic, platforms: ['github'] })
      await service.client.waitForJob(body.data.jobId)
    }
    server = await startMcpServer(service)
  })
  afterAll(async () => {
    await server.stop()
    await service.stop()
  })

  it('has four tools', async () => {
    expect((await server.toolNames()).sort()).toEqual([
      'get_topics',
      'list_requests',
      'scrape_requests',
      'search_requests',
    ])
  })

  it('get_topics lists the topics by name', async () => {
    const { text, isError } = await server.call('get_topics')
    expect(isError).toBe(false)
    expect(text.split('\n\n').at(-1)).toBe('### All topics\n- offline maps\n- dark mode')
  })

  it('search_requests shows what was found', async () => {
    const { text, isError } = await server.call('search_requests', {
      query: '"dark mode 2"',
      platforms: ['reddit', 'x'],
    })
    expect(isError).toBe(false)
    expect(text).toBe(`Found 1 feature request for ""dark mode 2""\n\n${shown(1, 'dark mode', 2)}`)
    expect((await server.call('search_requests', { query: 'zebra' })).text).toMatch(/^No feature requests found/)
  })

  it('search_requests with expand names the topics and counts what is new', async () => {
    const given = { query: 'night theme', expand: true, platforms: ['github'], limit: 100 }
    const { text, isError } = await server.call('search_requests', given)
    expect([isError, text]).toEqual([false, expect.stringMatching(/^AI expanded to topics: night theme/m)])
    expect(text).toMatch(/^New results found via realtime scraping: [1-9]/m)
    expect(text).toContain('**Please add night theme 3**')
  })

  it('list_requests lists a topic of get_topics by votes, and says that there is more', async () => {
    const given = { topic: 'dark mode', category: 'all-topics', platform: 'github', sortBy: 'top', limit: 2 }
    const { text, isError } = await server.call('list_requests', given)
    expect(isError).toBe(false)
    expect(text).toBe(
      `Found 2 feature requests for "dark mode" (more available)\n\n${shown(1, 'dark mode', 3)}\n\n${shown(2, 'dark mode', 2)}`,
    )
    expect((await server.call('list_requests', { platform: 'requesthunt' })).text).toBe(
      'No feature requests found from requesthunt',
    )
  })

  it('list_requests with source realtime collects first', async () => {
    const given = { topic: 'calendar sync', platform: 'github', source: 'realtime' }
    const { text, isError } = await server.call('list_requests', given)
    expect([isError, text]).toEqual([false, expect.stringMatching(/^Found 3 feature requests for "calendar sync"\n/)])
  })

  // The server asks for the job every three seconds.
  it('scrape_requests waits for the job, and says what it has found', async () => {
    const given = { topic: 'keyboard shortcuts', platforms: ['github', 'reddit'] }
    const { text, isError } = await server.call('scrape_requests', given)
    expect([isError, text]).toEqual([
      false,
      `Scrape completed for "keyboard shortcuts"

Status: completed
Requests created: 3
Platforms:
  github: done
  reddit: skipped

You can now search for "keyboard shortcuts" to see the fresh results.`,
    ])
  })

  it('scrape_requests says why a job failed', async () => {
    const { text, isError } = await server.call('scrape_requests', { topic: refused, platforms: ['github'] })
    expect([isError, text]).toEqual([true, expect.stringMatching(/\nStatus: failed\nError: (?!Unknown error).*\n/)])
  })

  it('scrape_requests without waiting gives the id of the job, by default of all platforms', async () => {
    const { text, isError } = await server.call('scrape_requests', { topic: 'split view', wait: false })
    expect([isError, text]).toEqual([false, expect.stringContaining('Status: pending\nPlatforms: github\n')])
    const jobId = /^Job ID: (.*)$/m.exec(text)![1]!
    expect((await service.client.waitForJob(jobId)).status).toBe('completed')
  })

  it('shows the message of an error', async () => {
    const stranger = await startMcpServer(service, 'rh_live_of_another_service')
    const { text, isError } = await stranger.call('get_topics')
    await stranger.stop()
    expect([isError, text]).toEqual([true, expect.stringMatching(/^Error fetching topics: .*key/)])
  })
})
