import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build, type Rolldown } from 'vite'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { answerOf, createClient, type ListPath, WishwellError } from '../client/client.ts'
import { PlatformError } from '../src/platforms/platform.ts'
import { outputOf } from './package/installation.ts'
import { numberedPages, platformMap, scriptedPlatform } from './scripted-platform.ts'
import { startTestService, type TestService } from './service.ts'

// Holds (HTTP and secrets): the client for programs obeys Retry-After and pays once when a POST's answer is lost
// Holds (Hostile input): no id from a caller leads to another call's path, in any client, command or page
// Holds (HTTP and secrets): the client for programs reads every list to its end, page by page

// Takes seconds: a Retry-After has at least one.

const root = fileURLToPath(new URL('..', import.meta.url))
const document = JSON.parse(readFileSync(join(root, 'client/openapi.json'), 'utf8'))

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
})
afterAll(() => service.stop())

const ofService = () => createClient({ url: service.url, apiKey: service.apiKey })

/** A proxy before the service, which answers the first call as `fault` does. */
async function startProxy(fault: (response: ServerResponse, forward: () => Promise<Response>) => unknown) {
  const calls: { at: number; key: string | undefined }[] = []
  const server = createServer(async (request, response) => {
    const { method = 'GET', url, headers } = request
    calls.push({ at: performance.now(), key: headers['idempotency-key'] as string | undefined })
    const isFirst = calls.length === 1
    const chunks = await request.toArray()
    const { authorization = '', 'idempotency-key': key } = headers
    const sent = { authorization, 'content-type': 'application/json', ...(key ? { 'idempotency-key': `${key}` } : {}) }
    const body = method === 'GET' ? null : Buffer.concat(chunks)
    const forward = () => fetch(`${service.url}${url}`, { method, headers: sent, body })
    if (isFirst) return fault(response, forward)
    const answer = await forward()
    return response.writeHead(answer.status, { 'content-type': 'application/json' }).end(await answer.text())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return { client: createClient({ url, apiKey: service.apiKey }), calls }
}

const refuse = (status: number, headers: Record<string, string>, reason?: string) => (response: ServerResponse) =>
  response
    .writeHead(status, headers)
    .end(
      JSON.stringify({ error: { code: status === 429 ? 'RATE_LIMITED' : 'UNAVAILABLE', message: 'Later.', reason } }),
    )

describe('a call', () => {
  it.each([429, 503])('that is refused with %i is repeated after Retry-After', async (status) => {
    const { client, calls } = await startProxy(
      refuse(status, { 'retry-after': '1' }, status === 429 ? 'rate' : undefined),
    )
    const { data } = await answerOf(client.GET('/api/v1/platforms'))
    expect(JSON.stringify(data)).toContain('github')
    expect(calls).toHaveLength(2)
    // Timers count whole milliseconds.
    expect(calls[1]!.at - calls[0]!.at).toBeGreaterThanOrEqual(999)
  })

  it('that is out of credits, or is to wait for more than a minute, is not repeated', async () => {
    for (const [headers, reason] of [
      [{ 'retry-after': '1' }, 'credits'],
      [{ 'retry-after': '61' }, 'rate'],
    ] as const) {
      const { client, calls } = await startProxy(refuse(429, headers, reason))
      await expect(client.GET('/api/v1/platforms')).rejects.toMatchObject({ code: 'RATE_LIMITED', reason, status: 429 })
      expect(calls).toHaveLength(1)
    }
  })

  it('that starts a job starts and charges it once when its answer is lost', async () => {
    const creditsUsed = async () => (await service.client.search('anything')).body.usage.credits.used
    const before = await creditsUsed()
    const { client, calls } = await startProxy(async (response, forward) => {
      expect((await forward()).status).toBe(200)
      response.destroy()
    })
    const job = await client.scrapeAndWait({ topic: 'lost', platforms: ['github'], depth: 2 }, { pollMs: 50 })
    expect(job.credits).toMatchObject({ held: 0, settled: 2 })
    expect(calls[0]!.key).toMatch(/^[0-9a-f-]{36}$/)
    expect(calls[1]!.key).toBe(calls[0]!.key)
    const { body } = await service.client.get('/api/v1/scrape?limit=100')
    expect(JSON.stringify(body).split('"topic":"lost"').length - 1).toBe(1)
    expect(await creditsUsed()).toBe(before + 2)
  })

  it('that sends a mail or makes a link at each call is not repeated when its answer is lost', async () => {
    const { client, calls } = await startProxy((response) => response.destroy())
    const params = { path: { accountId: crypto.randomUUID() } }
    await expect(client.POST('/api/admin/accounts/{accountId}/links', { params, body: null })).rejects.toMatchObject({
      code: 'UNREACHABLE',
    })
    expect(calls).toHaveLength(1)
  })

  it('ends with the reason of its signal, also while it waits to be repeated', async () => {
    const { client, calls } = await startProxy(refuse(503, { 'retry-after': '60' }))
    const controller = new AbortController()
    const call = client.GET('/api/v1/platforms', { signal: controller.signal })
    const refusal = expect(call).rejects.toThrow('enough')
    await expect.poll(() => calls.length).toBe(1)
    controller.abort(new Error('enough'))
    await refusal
    expect(calls).toHaveLength(1)
  })

  it('for a file of HTML gives the file, and for the page of a proxy an error', async () => {
    const file = { 'content-type': 'text/html', 'content-disposition': 'attachment; filename="brief.html"' }
    const params = { path: { briefId: crypto.randomUUID() }, query: { format: 'html' as const } }
    const { client } = await startProxy((response) => response.writeHead(200, file).end('<p>A brief'))
    const { data } = await client.GET('/api/v1/briefs/{briefId}/file', { params, parseAs: 'text' })
    expect(data).toBe('<p>A brief')
    const proxy = await startProxy((response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<p>'))
    await expect(proxy.client.GET('/api/v1/briefs/{briefId}/file', { params, parseAs: 'text' })).rejects.toMatchObject({
      code: 'UNEXPECTED_ANSWER',
      status: 200,
    })
  })

  it('with what is no id asks for no path of another call', async () => {
    const { client, calls } = await startProxy((response) => response.destroy())
    for (const requestId of ['export', 'facets', '..', '', '%2e%2e', `${randomUUID()}/similar`, `${randomUUID()}?a=b`])
      await expect(
        client.GET('/api/v1/requests/{requestId}', { params: { path: { requestId } } }),
      ).rejects.toMatchObject({ code: 'NOT_FOUND', message: 'Request not found.' })
    for (const topic of ['.', '..'])
      await expect(client.GET('/api/v1/topics/{topic}', { params: { path: { topic } } })).rejects.toThrow(
        'Topic not found.',
      )
    expect(calls).toEqual([])
  })

  it('with half a character is refused as the service refuses it', async () => {
    const refused = { code: 'INVALID_REQUEST', message: 'A text has half a character, a lone surrogate.' }
    const query = ofService().GET('/api/v1/topics', { params: { query: { query: 'a\ud800' } } })
    await expect(query).rejects.toMatchObject(refused)
    const path = ofService().GET('/api/v1/topics/{topic}', { params: { path: { topic: '\udfff' } } })
    await expect(path).rejects.toMatchObject(refused)
  })

  it('takes back a correction, whose id is a hash', async () => {
    const { data } = await answerOf(
      ofService().GET('/api/v1/requests', { params: { query: { source: 'cached', limit: 1 } } }),
    )
    const requestId = data.results[0]!._id
    const made = await answerOf(
      ofService().POST('/api/v1/corrections/requests', { body: { requestId, isRequest: false } }),
    )
    const params = { path: { correctionId: made.data.correctionId } }
    expect(
      (await answerOf(ofService().DELETE('/api/v1/corrections/requests/{correctionId}', { params }))).data,
    ).toEqual({
      correctionId: made.data.correctionId,
    })
  })

  it('that the service refuses is a WishwellError with its code, its fields and the id of the request', async () => {
    const error = await ofService()
      .POST('/api/v1/scrape', { body: { topic: 'dark mode', depth: 0 } })
      .catch((reason: unknown) => reason)
    expect(error).toBeInstanceOf(WishwellError)
    expect(error).toMatchObject({ code: 'INVALID_REQUEST', status: 400, requestId: expect.stringMatching(/./) })
    expect((error as WishwellError).details[0]?.path).toContain('depth')
  })
})

/** The calls that are no POST with an Idempotency-Key, but the same again when they are repeated. */
const sameAgain =
  /\/(preview|read|verify|purge|rebuild|lift|confirmation|corrections\/requests|accuracy\/draw|feedback\/imports|boards\/try|pushes)$/

describe('the API', () => {
  it('has an Idempotency-Key for each POST that the client repeats and that is not the same again', () => {
    const posts = Object.entries<{ post?: { parameters?: object[] } }>(document.paths).flatMap(([path, { post }]) =>
      post ? [{ path, post }] : [],
    )
    expect(posts.length).toBeGreaterThan(20)
    const keyless = posts.filter(
      ({ post }) => !JSON.stringify(post.parameters ?? []).includes('parameters/idempotency-key'),
    )
    const isNeverRepeated = (path: string) => /\/(links|session|test)$/.test(path)
    expect(keyless.map(({ path }) => path).filter((path) => !sameAgain.test(path) && !isNeverRepeated(path))).toEqual(
      [],
    )
  })
})

describe('scrapeAndWait', () => {
  it('tells of progress until the job has ended', async () => {
    const states: string[] = []
    const onProgress = ({ status }: { status: string }) => void states.push(status)
    const job = await ofService().scrapeAndWait(
      { topic: 'dark mode', platforms: ['github', 'stackexchange'], depth: 3 },
      { onProgress, pollMs: 20 },
    )
    expect(job).toMatchObject({ status: 'completed', progress: { github: 'done', stackexchange: 'done' } })
    expect(states.at(-1)).toBe('completed')
  })

  it('throws a job that failed as the cause of its error', async () => {
    const call = ofService().scrapeAndWait({ topic: 'dark mode', platforms: ['hackernews'], depth: 1 }, { pollMs: 20 })
    await expect(call).rejects.toMatchObject({ code: 'JOB_FAILED', cause: { status: 'failed' } })
  })
})

describe('pages', () => {
  it('are read one after the other to the last', async () => {
    const { jobId } = await ofService().scrapeAndWait(
      { topic: 'pages', platforms: ['github'], depth: 3 },
      { pollMs: 20 },
    )
    const ids: string[] = []
    let count = 0
    for await (const { results } of ofService().pages('/api/v1/requests', { query: { jobId, limit: 4 } })) {
      ids.push(...results.map(({ _id }) => _id))
      count += 1
    }
    expect([count, ids.length, new Set(ids).size]).toEqual([2, 6, 6])
  })

  it('exist of every list of the document that has a cursor', async () => {
    const admin = createClient({ url: service.url, apiKey: service.adminKey })
    const lists = Object.entries<{ get?: object }>(document.paths).filter(
      ([path, { get }]) => JSON.stringify(get ?? {}).includes('"name":"cursor"') && !/\{|export$|^\/compat/.test(path),
    )
    expect(lists.length).toBeGreaterThanOrEqual(13)
    for (const [path] of lists) {
      const client = path.startsWith('/api/admin') ? admin : ofService()
      const seen: string[] = []
      for await (const page of client.pages(path as ListPath, { query: { limit: 1 } } as never))
        seen.push(JSON.stringify(page))
      const { body, text } = await (path.startsWith('/api/admin')
        ? service.clientFor(service.adminKey)
        : service.client
      ).get(`${path}?limit=20`)
      expect([path, text]).toEqual([path, expect.stringContaining('"hasMore":false')])
      const rows = Object.values(body.data).find(Array.isArray) as unknown[]
      expect([path, seen.length]).toEqual([path, Math.max(1, rows.length)])
    }
  })
})

describe('the client', () => {
  it('is bundled for a browser without anything of Node', async () => {
    const bundle = (await build({
      root,
      configFile: false,
      logLevel: 'silent',
      build: { write: false, minify: false, lib: { entry: join(root, 'client/client.ts'), formats: ['es'] } },
    })) as Rolldown.RolldownOutput[]
    const [chunk, ...others] = bundle.flatMap(({ output }) => output)
    expect(others).toEqual([])
    expect(chunk).toMatchObject({ type: 'chunk', imports: [] })
    const { code } = chunk as Rolldown.OutputChunk
    expect(code).toContain('idempotency-key')
    expect(code).not.toMatch(/node:|\bBuffer\b|__vite-browser-external/)
  })

  it('does what its document shows', async () => {
    const [, shown = ''] = /```ts\n([\s\S]+?)```/.exec(readFileSync(join(root, 'docs/client.md'), 'utf8')) ?? []
    const folder = mkdtempSync(join(tmpdir(), 'wishwell-shown-'))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    const file = join(folder, 'shown.mts')
    writeFileSync(file, shown.replace("'wishwell/client'", `'${new URL('../client/client.ts', import.meta.url)}'`))
    const env = { ...process.env, WISHWELL_URL: service.url, WISHWELL_API_KEY: service.apiKey }
    const output = await outputOf(spawn(process.execPath, [file], { env }))
    expect(output).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(/^(Request 0-\d\n){2}$/) })
  })
})
