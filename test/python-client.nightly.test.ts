import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { PlatformError } from '../src/platforms/platform.ts'
import { createPythonEnvironment, type PythonEnvironment } from './python.ts'
import { numberedPages, platformMap, scriptedPlatform } from './scripted-platform.ts'
import { startTestService, type TestService } from './service.ts'

// Holds (HTTP and secrets): the Python client obeys Retry-After, pays once when a POST's answer is lost, and reads lists to the end
// Holds (HTTP and secrets): the Python client is built from client/openapi.json and passes a strict type checker

const client = fileURLToPath(new URL('../clients/python', import.meta.url))
let python: PythonEnvironment
let service: TestService
beforeAll(async () => {
  const refused = () => {
    throw new PlatformError('unauthorized', 'hackernews answered 401. Check its credentials.')
  }
  const platforms = platformMap(
    scriptedPlatform('github', numberedPages(3)),
    scriptedPlatform('hackernews', refused),
    scriptedPlatform('stackexchange', numberedPages(1)),
  )
  service = await startTestService({ platforms })
  python = await createPythonEnvironment([client, 'pytest==9.2.0', 'mypy==2.4.1'])
}, 600_000)
afterAll(async () => {
  await service?.stop()
  python?.remove()
})

describe('the client for Python', () => {
  it('passes its tests on a service', async () => {
    await python.run('pytest', ['-q', '-p', 'no:cacheprovider', join(client, 'tests')], {
      WISHWELL_URL: service.url,
      WISHWELL_API_KEY: service.apiKey,
      WISHWELL_ADMIN_KEY: service.adminKey,
    })
  }, 120_000)

  it('has types for the program that its README shows', async () => {
    const [, shown = ''] = /```python\n([\s\S]+?)```/.exec(readFileSync(join(client, 'README.md'), 'utf8')) ?? []
    writeFileSync(join(python.folder, 'shown.py'), shown)
    await python.run('mypy', ['--strict', 'shown.py'])
    writeFileSync(join(python.folder, 'mistaken.py'), shown.replace('limit=1', 'limits=1'))
    await expect(python.run('mypy', ['--strict', 'mistaken.py'])).rejects.toThrow('"limits"')
  }, 120_000)
})
