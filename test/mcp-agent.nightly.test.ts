import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it, onTestFinished } from 'vitest'
import { outputOf } from './package/installation.ts'
import { numberedPages, platformMap, scriptedPlatform } from './scripted-platform.ts'
import { startTestService } from './service.ts'

// Holds (MCP): an agent of another implementation collects, polls and reads, by HTTP and by the command, in both eras of the specification

const path = (name: string) => fileURLToPath(new URL(name, import.meta.url))

it('the SDK for Python uses the tools', { timeout: 600_000 }, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'wishwell-agent-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const run = async (command: string, parameters: string[]) =>
    outputOf(spawn(command, parameters, { cwd: folder, env: { ...process.env, PYTHONDONTWRITEBYTECODE: '1' } }))
  await run('python3', ['-m', 'venv', '.'])
  const installed = await run(join(folder, 'bin/pip'), ['install', '--quiet', 'mcp==2.3.0'])
  expect(installed.exitCode, installed.stderr).toBe(0)
  const platforms = platformMap(scriptedPlatform('github', numberedPages(1)))
  const service = await startTestService({ platforms, placesRequests: true })
  onTestFinished(() => service.stop())
  const job = await service.client.scrape({ topic: 'dark mode', platforms: ['github'] })
  await service.client.waitForJob(job.body.data.jobId)
  await service.placeRequests()
  const command = [process.execPath, '--disable-warning=ExperimentalWarning', path('../src/main.ts'), 'mcp']
  const agent = await run(join(folder, 'bin/python'), [path('./mcp_agent.py'), service.url, service.apiKey, ...command])
  expect(agent.exitCode, agent.stderr).toBe(0)
  const lines = agent.stdout.trim().split('\n')
  console.log(lines.join('\n'))
  const talks = lines.map((line) => JSON.parse(line) as { server: string; tools?: string[] })
  expect(talks.filter(({ tools }) => tools?.includes('collect')).map(({ server }) => server)).toEqual([
    'http legacy',
    'stdio legacy',
    'http auto',
    'stdio auto',
  ])
})
