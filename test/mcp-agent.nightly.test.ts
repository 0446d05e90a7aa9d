import { fileURLToPath } from 'node:url'
import { expect, it, onTestFinished } from 'vitest'
import { createPythonEnvironment } from './python.ts'
import { numberedPages, platformMap, scriptedPlatform } from './scripted-platform.ts'
import { startTestService } from './service.ts'

// Holds (MCP): a foreign MCP client collects, polls and reads, by HTTP and command, in both eras of the specification

const path = (name: string) => fileURLToPath(new URL(name, import.meta.url))

it('the SDK for Python uses the tools', { timeout: 600_000 }, async () => {
  const python = await createPythonEnvironment(['mcp==2.3.0'])
  onTestFinished(() => python.remove())
  const platforms = platformMap(scriptedPlatform('github', numberedPages(1)))
  const service = await startTestService({ platforms, placesRequests: true })
  onTestFinished(() => service.stop())
  const job = await service.client.scrape({ topic: 'dark mode', platforms: ['github'] })
  await service.client.waitForJob(job.body.data.jobId)
  await service.placeRequests()
  const command = [process.execPath, '--disable-warning=ExperimentalWarning', path('../src/main.ts'), 'mcp']
  const printed = await python.run('python', [path('./mcp_agent.py'), service.url, service.apiKey, ...command])
  const lines = printed.trim().split('\n')
  console.log(lines.join('\n'))
  const talks = lines.map((line) => JSON.parse(line) as { server: string; tools?: string[] })
  expect(talks.filter(({ tools }) => tools?.includes('collect')).map(({ server }) => server)).toEqual([
    'http legacy',
    'stdio legacy',
    'http auto',
    'stdio auto',
  ])
})
