import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { expect, it, onTestFinished } from 'vitest'
import { startPlatformSimulator } from '../../simulator/simulator.ts'
import { generateApiKey } from '../../src/accounts/api-key.ts'
import { callTool, connect, httpTransport } from '../../src/mcp/mcp-testing.ts'
import { childEnvironment } from '../child-environment.ts'
import { startChildService } from '../child-service.ts'
import { createTestClient } from '../client.ts'
import { freePort } from '../free-port.ts'

// Holds (MCP): an agent's collection can be polled to its end after kill -9, by HTTP and command; each page is paid once

it('a collection survives kill -9', { timeout: 120_000 }, async () => {
  const simulator = await startPlatformSimulator({ latencyMs: 300, limits: 'none' })
  const dataDir = mkdtempSync(join(tmpdir(), 'wishwell-mcp-'))
  onTestFinished(async () => {
    await simulator.stop()
    rmSync(dataDir, { recursive: true, force: true })
  })
  const apiKey = generateApiKey()
  const port = `${await freePort()}`
  const environment = { ...simulator.environment, DATA_DIR: dataDir, BOOTSTRAP_API_KEY: apiKey, PORT: port }
  const service = await startChildService(environment)
  const agent = await connect(httpTransport(service.url, apiKey))
  const given = {
    topic: 'dark mode',
    platforms: ['github', 'hackernews'],
    depth: 4,
    maxCredits: 8,
    idempotencyKey: 'one',
  }
  const { jobId } = (await callTool(agent, 'collect', given)).structured
  // In the midst of it.
  const pages = async () => (await callTool(agent, 'collect', { jobId })).structured.requestsCreated
  await expect.poll(pages, { timeout: 20_000, interval: 50 }).toBeGreaterThan(0)
  await service.end('SIGKILL')

  const again = await startChildService(environment)
  const after = await connect(httpTransport(again.url, apiKey))
  const main = fileURLToPath(new URL('../../src/main.ts', import.meta.url))
  const command = await connect(
    new StdioClientTransport({
      command: process.execPath,
      args: ['--disable-warning=ExperimentalWarning', main, 'mcp'],
      env: { ...childEnvironment, WISHWELL_URL: again.url, WISHWELL_API_KEY: apiKey } as Record<string, string>,
    }),
  )
  // The agent that lost its answer asks again, and gets the job that it has.
  expect((await callTool(after, 'collect', given)).structured.jobId).toBe(jobId)
  const state = async () => (await callTool(after, 'collect', { jobId })).structured
  await expect.poll(async () => (await state()).status, { timeout: 60_000 }).toBe('completed')
  const job = await state()
  expect((await callTool(command, 'collect', { jobId })).structured).toMatchObject({ status: 'completed', jobId })
  const { creditsLeft } = (await callTool(command, 'overview')).structured
  expect(creditsLeft).toBe(15_000 - job.credits.settled)
  const api = createTestClient(() => again.url, apiKey)
  const { tasks } = (await api.get(`/api/v1/scrape/${jobId}`)).body.data as { tasks: { pages: number }[] }
  expect(job.credits).toEqual({ held: 0, settled: tasks.reduce((sum, { pages }) => sum + pages, 0) })
})
