import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { brotliCompressSync, brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { startTestService, type TestService } from '../../../test/service.ts'

// Holds (Dashboard): the dashboard runs only its own scripts, and no path leads to another file

// Takes seconds: the pages of all views are read.

// What the service does with a built page, on one of our own making: the real one is tested in test/dashboard.

const index = '<!doctype html><title>built</title><script type="module" src="/assets/page-abc123.js"></script>'
const script = `console.log(${JSON.stringify('x'.repeat(5_000))})`
let directory: string
let service: TestService
beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'wishwell-page-'))
  mkdirSync(join(directory, 'assets'))
  for (const [name, text] of [
    ['index.html', index],
    ['icon.svg', '<svg xmlns="http://www.w3.org/2000/svg"/>'],
    ['assets/page-abc123.js', script],
    ['.sources', 'a hash'],
  ] as const) {
    writeFileSync(join(directory, name), text)
  }
  writeFileSync(join(directory, 'assets/page-abc123.js.br'), brotliCompressSync(script))
  writeFileSync(join(directory, 'assets/page-abc123.js.gz'), gzipSync(script))
  // As in the package, which has no plain form of what is compressed.
  writeFileSync(join(directory, 'assets/packed-abc123.js.br'), brotliCompressSync(script))
  writeFileSync(join(directory, 'assets/packed-abc123.js.gz'), gzipSync(script))
  service = await startTestService({ pageDirectory: directory })
})
afterAll(async () => {
  await service.stop()
  rmSync(directory, { recursive: true })
})

describe('the contact for authors', () => {
  it('is at the end of every view, with and without a session, as text', async () => {
    const hostile = "https://wishwell.example/removal?a='><script>&amp"
    const asked = await startTestService({ pageDirectory: directory, environment: { REMOVAL_CONTACT: hostile } })
    onTestFinished(() => asked.stop())
    for (const path of ['/', '/sign-in', '/topics/dark%20mode', '/index.html']) {
      const { text } = await asked.clientFor(null).send('GET', path, { headers: browser })
      expect(text.startsWith(index)).toBe(true)
      expect(text.slice(index.length)).toBe(
        '<footer class="removal-contact">To have a post removed or get a copy: ' +
          '<a href="https://wishwell.example/removal?a=%27%3E%3Cscript%3E&amp;amp">https://wishwell.example/removal?a=%27%3E%3Cscript%3E&amp;amp</a></footer>',
      )
    }
    expect((await get('/')).text).not.toContain('<footer')
  })
})

const browser = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }
const get = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
  service.clientFor(null).send(method, path, { headers })
/** The answer as it came: fetch would decode it, and asks past every cache. */
const getRaw = (path: string, headers: Record<string, string>) =>
  new Promise<{ status: number | undefined; headers: Record<string, unknown>; bytes: Buffer }>((resolve, reject) => {
    request(service.url + path, { headers, agent: false }, (response) => {
      response
        .toArray()
        .then((chunks) =>
          resolve({ status: response.statusCode, headers: response.headers, bytes: Buffer.concat(chunks) }),
        )
        .catch(reject)
    })
      .on('error', reject)
      .end()
  })

describe('the page', () => {
  it('is served for / and for every path that a browser opens', async () => {
    for (const path of [
      '/',
      '/?q=dark+mode',
      '/search?q=a&platforms=github',
      '/sign-in',
      '/topics/dark%20mode',
      '/a/b/c',
    ]) {
      const answer = await get(path, browser)
      expect([answer.status, answer.text]).toEqual([200, index])
      expect(answer.headers.get('content-type')).toMatch(/^text\/html/)
      expect(answer.headers.get('cache-control')).toBe('no-cache')
    }
    expect((await get('/')).text).toBe(index)
    const head = await get('/', browser, 'HEAD')
    expect([head.status, head.text]).toEqual([200, ''])
  })

  it('may run its own files only', async () => {
    for (const path of ['/', '/search', '/assets/page-abc123.js', '/icon.svg']) {
      const { headers } = await get(path, browser)
      const policy = headers.get('content-security-policy') ?? ''
      expect(policy.split('; ').sort()).toEqual([
        "base-uri 'none'",
        "connect-src 'self'",
        "default-src 'none'",
        "font-src 'self'",
        "form-action 'self'",
        "frame-ancestors 'none'",
        "img-src 'self' data:",
        "script-src 'self'",
        "style-src 'self'",
      ])
      expect(headers.get('x-content-type-options')).toBe('nosniff')
      expect(headers.get('cross-origin-opener-policy')).toBe('same-origin')
      expect(headers.get('cross-origin-resource-policy')).toBe('same-origin')
      expect(headers.get('referrer-policy')).toBe('same-origin')
      expect(headers.get('x-frame-options')).toBe('DENY')
    }
  })

  it('has files that are cached for good if their name is a hash', async () => {
    const asset = await get('/assets/page-abc123.js')
    expect([asset.status, asset.text]).toEqual([200, script])
    expect(asset.headers.get('content-type')).toMatch(/javascript/)
    expect(asset.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
    const icon = await get('/icon.svg')
    expect([icon.status, icon.headers.get('content-type'), icon.headers.get('cache-control')]).toEqual([
      200,
      'image/svg+xml',
      'no-cache',
    ])
  })

  it('is not sent again to a browser that has it', async () => {
    for (const path of ['/', '/assets/page-abc123.js']) {
      const etag = String((await getRaw(path, browser)).headers.etag)
      expect(etag).toMatch(/^(W\/)?"/)
      const again = await getRaw(path, { ...browser, 'if-none-match': etag })
      expect([again.status, again.bytes.length]).toEqual([304, 0])
      expect(again.headers['content-security-policy']).toContain("default-src 'none'")
    }
  })

  it('stays the page of the start, whatever is built meanwhile', async () => {
    try {
      writeFileSync(join(directory, 'index.html'), index.replace('abc123', 'def456'))
      for (const path of ['/', '/index.html', '/search']) expect((await get(path, browser)).text).toBe(index)
    } finally {
      writeFileSync(join(directory, 'index.html'), index)
    }
  })

  it.each(['page', 'packed'])('is sent in the form that the caller accepts (%s)', async (name) => {
    const path = `/assets/${name}-abc123.js`
    const brotli = await getRaw(path, { 'accept-encoding': 'gzip, deflate, br' })
    expect(brotli.headers).toMatchObject({ 'content-encoding': 'br', vary: expect.stringMatching(/accept-encoding/i) })
    expect(brotliDecompressSync(brotli.bytes).toString()).toBe(script)
    const gzip = await getRaw(path, { 'accept-encoding': 'gzip' })
    expect(gzip.headers['content-encoding']).toBe('gzip')
    expect(gzip.headers['content-type']).toMatch(/javascript/)
    expect(gunzipSync(gzip.bytes).toString()).toBe(script)
    const plain = await getRaw(path, { 'accept-encoding': 'identity' })
    expect(plain.headers['content-encoding']).toBeUndefined()
    expect(plain.headers['content-type']).toMatch(/javascript/)
    expect(plain.bytes.toString()).toBe(script)
  })

  it('is not sent to programs, under the API, or for missing files', async () => {
    for (const [path, headers] of [
      ['/api/v1/nothing', browser],
      ['/api', browser],
      ['/api/', browser],
      ['/assets/page-000000.js', browser],
      ['/assets/', browser],
      ['/assets', browser],
      ['/search', {}],
      ['/favicon.ico', browser],
      ['/robots.txt', browser],
    ] as const) {
      const answer = await get(path, headers)
      expect([path, answer.status, answer.body.error?.code]).toEqual([path, 404, 'NOT_FOUND'])
    }
    expect((await get('/search', browser, 'POST')).status).toBe(404)
  })

  it.each([
    '/.sources',
    '/assets/page-abc123.js.br',
    '/assets/page-abc123.js.gz',
    '/../package.json',
    '/..%2fpackage.json',
    '/assets/..%2f..%2f..%2fpackage.json',
    '/assets/%2e%2e/%2e%2e/package.json',
    '/assets%5c..%5c..%5cpackage.json',
    '/%00',
    '/assets/page-abc123.js%00.html',
    '//etc/passwd',
  ])('never gives %s', async (path) => {
    const answer = await get(path, browser)
    expect([400, 404]).toContain(answer.status)
    expect(answer.body.error.code).toMatch(/NOT_FOUND|INVALID_REQUEST/)
  })

  it('does not change the answers of other routes', async () => {
    expect((await get('/openapi.json', browser)).body.openapi).toBe('3.1.0')
    expect((await get('/readyz', browser)).body.status).toBe('ready')
    expect((await get('/api/v1/usage', browser)).status).toBe(401)
  })
})

describe('without a built page', () => {
  let bare: TestService
  beforeAll(async () => {
    bare = await startTestService()
  })
  afterAll(() => bare.stop())

  it('/ says how to build one and where the API is, and every other route works', async () => {
    const client = bare.clientFor(null)
    const page = await client.send('GET', '/', { headers: browser })
    expect(page.status).toBe(200)
    expect(page.headers.get('content-type')).toMatch(/^text\/html/)
    expect(page.body).toContain('npm run build:dashboard')
    expect(page.body).toContain('href="/openapi.json"')
    expect(page.headers.get('content-security-policy')).toContain("default-src 'none'")
    expect((await client.send('GET', '/search', { headers: browser })).status).toBe(404)
    expect((await bare.client.get('/api/v1/usage')).status).toBe(200)
  })
})
