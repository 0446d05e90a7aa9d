import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { request } from 'undici'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startTestService, type TestService } from '../../../test/service.ts'
import { unlimited } from '../../../test/unlimited.ts'

// Holds (HTTP and secrets): public files are counted by address, and not resent to a caller that has them

// What every file of the page and every document of the API has in common: it needs no key, so it is counted by address, and sent once.

const files = 2
let directory: string
let service: TestService
beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'wishwell-page-'))
  mkdirSync(join(directory, 'assets'))
  mkdirSync(join(directory, 'docs'))
  writeFileSync(join(directory, 'index.html'), '<!doctype html><title>built</title>')
  writeFileSync(join(directory, 'docs', 'reference.js'), 'show()')
  writeFileSync(join(directory, 'icon.svg'), '<svg xmlns="http://www.w3.org/2000/svg"/>')
  writeFileSync(join(directory, 'assets', 'page-abc123.js'), 'console.log(1)')
  service = await startTestService({
    pageDirectory: directory,
    environment: { TRUST_PROXY: '127.0.0.1' },
    requestLimits: { ...unlimited, files },
  })
})
afterAll(async () => {
  await service.stop()
  rmSync(directory, { recursive: true })
})

it.each(
  [
    '/',
    '/index.html',
    '/topics/dark%20mode',
    '/icon.svg',
    '/assets/page-abc123.js',
    '/openapi.json',
    '/docs',
    '/docs/reference.js',
  ].map((path, index) => ({ path, address: `203.0.113.${index + 1}` })),
)('$path is sent once, and so often a minute', async ({ path, address }) => {
  // Not fetch, which asks past every cache.
  const get = (headers: Record<string, string> = {}) =>
    request(service.url + path, { headers: { accept: 'text/html', 'x-forwarded-for': address, ...headers } })
  const first = await get()
  expect([first.statusCode, await first.body.text()]).toEqual([200, expect.stringMatching(/./)])
  const etag = String(first.headers.etag)
  expect(etag).toMatch(/^(W\/)?".+"$/)
  const known = await get({ 'if-none-match': etag })
  expect([known.statusCode, await known.body.text()]).toEqual([304, ''])
  const refused = await get({ 'if-none-match': etag })
  expect([refused.statusCode, refused.headers['ratelimit-policy']]).toEqual([429, `"files";q=${files};w=60`])
  expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0)
  expect(await refused.body.json()).toMatchObject({ error: { code: 'RATE_LIMITED', reason: 'rate' } })
})
