import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { brotliCompressSync } from 'node:zlib'
import { expect, it, onTestFinished } from 'vitest'
import { startTestService } from '../../../test/service.ts'

it('is a page and its script, which may call this service only', async () => {
  const pageDirectory = mkdtempSync(join(tmpdir(), 'wishwell-reference-'))
  onTestFinished(() => rmSync(pageDirectory, { recursive: true }))
  mkdirSync(join(pageDirectory, 'docs'))
  writeFileSync(join(pageDirectory, 'docs/reference.js.br'), brotliCompressSync('show()'))
  writeFileSync(join(pageDirectory, 'docs/quickstart.html'), '<h1>Quickstart</h1>')
  writeFileSync(join(pageDirectory, 'docs/wishes.md'), '# Wishes')
  const service = await startTestService({ pageDirectory })
  onTestFinished(() => service.stop())
  const [page, script] = await Promise.all(
    ['/docs/reference', '/docs/reference.js'].map((path) => service.clientFor(null).get(path)),
  )
  expect([page?.status, page?.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
  expect(page?.text).toContain('<script defer src="/docs/reference.js">')
  const policy = page?.headers.get('content-security-policy')?.split('; ')
  expect(policy).toEqual(expect.arrayContaining(["default-src 'none'", "script-src 'self'", "connect-src 'self'"]))
  expect([script?.status, script?.text]).toEqual([200, 'show()'])
  expect(script?.headers.get('content-type')).toBe('text/javascript; charset=utf-8')
  const start = await service.clientFor(null).get('/docs')
  expect([start.headers.get('content-type'), start.text]).toEqual(['text/html; charset=utf-8', '<h1>Quickstart</h1>'])
  const forModels = await service.clientFor(null).get('/docs/wishes.md')
  expect([forModels.headers.get('content-type'), forModels.text]).toEqual(['text/markdown; charset=utf-8', '# Wishes'])
  // Every error names a page about its code.
  const { text, headers } = await service.clientFor(null).get('/api/v1/usage')
  const { requestId, documentation } = JSON.parse(text).error
  expect(requestId).toBe(headers.get('x-request-id'))
  const about = await service.clientFor(null).get(documentation)
  expect([about.status, about.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
  expect(about.text).toContain('<h1>UNAUTHORIZED</h1>')
  expect(about.text).toContain('<code>Authorization: Bearer &lt;API key&gt;</code>')
})
