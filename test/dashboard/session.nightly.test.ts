import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { pino } from 'pino'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { testAdminKey } from '../service.ts'
import { describePage, usePage } from './page-test.ts'

// Facts that only a browser can show: what it sends, to which hosts, and what scripts can read.

/** What another site's page does with all that it has. `SERVICE` is our address. */
const attack = `<!doctype html><title>elsewhere</title><body>
<form id="form" action="SERVICE/api/v1/keys" method="post" enctype="text/plain" target="frame">
<input name='{"name":"forged","x":"' value='"}'></form><iframe name="frame"></iframe></body>`

/** The answers of the service to calls of the API: method, path and status. */
const answers: string[] = []
const paths = new Map<string, string>()
const log = pino(
  {},
  {
    write: (line) => {
      const { reqId, req, res } = JSON.parse(line)
      if (req) paths.set(reqId, `${req.method} ${req.path}`)
      const path = paths.get(reqId)
      if (res && path?.includes('/api/v1/')) answers.push(`${path} ${res.statusCode}`)
    },
  },
)

/** Runs in the browser: whether the page has drawn something. */
const isShown = () => (document.querySelector('#page')?.textContent ?? '').trim() !== ''

describePage('a session in a browser', () => {
  const test = usePage({ service: { log } })
  let elsewhere: Server
  beforeAll(async () => {
    elsewhere = createServer((_request, response) => {
      response.setHeader('content-type', 'text/html')
      response.end(attack.replaceAll('SERVICE', test.service.url))
    })
    await new Promise<void>((resolve) => elsewhere.listen(0, '127.0.0.1', resolve))
  })
  afterAll(async () => {
    elsewhere.closeAllConnections()
    await new Promise((resolve) => elsewhere.close(resolve))
  })

  const invite = async () => {
    const { accountId } = await test.service.createAccount()
    const { body } = await test.service.clientFor(testAdminKey).post(`/api/admin/accounts/${accountId}/links`, {})
    return body.data.url as string
  }

  it('begins on a page that does nothing that its policy forbids', async () => {
    // An exception of the page fails every test (page-test.ts).
    for (const path of ['/', '/sign-in', '/a/path/of/nothing']) {
      const page = await test.open(path, { as: null })
      await page.waitForFunction(isShown)
    }
  })

  it('is not begun by opening a link: a preview does not use it up', async () => {
    const url = await invite()
    const { pathname, hash } = new URL(url)
    for (let time = 0; time < 2; time++) {
      const page = await test.open(pathname + hash, { as: null })
      await page.waitForFunction(isShown)
      expect(await page.context().cookies()).toEqual([])
    }
    const answer = await test.service.clientFor(null).post('/api/session', { link: hash.slice(1) })
    expect(answer.status).toBe(200)
  })

  it('is in a cookie that no script can read, and works for the page’s own calls', async () => {
    const page = await test.open('/')
    const seen = await page.evaluate(async () => {
      const session = await (await fetch('/api/session')).json()
      const send = (headers: Record<string, string>) =>
        fetch('/api/v1/requests/search', {
          method: 'POST',
          headers: { 'content-type': 'application/json', ...headers },
          body: '{"query":"dark mode"}',
        })
      const without = await send({})
      const withToken = await send({ 'x-csrf-token': session.data.csrfToken })
      return { cookie: document.cookie, kind: session.data.kind, statuses: [without.status, withToken.status] }
    })
    expect(seen).toEqual({ cookie: '', kind: 'account', statuses: [403, 200] })
  })

  it('is of no use to another site: not to a form, an image, a frame or a script', async () => {
    answers.length = 0
    const ours = await test.open('/')
    // The page's own calls are over before what others do is counted.
    await ours.locator('.empty').waitFor()
    await ours.waitForLoadState('networkidle')
    const page = await ours.context().newPage()
    const { port } = elsewhere.address() as AddressInfo
    // The same host at another port: to cookies that is the same site.
    await page.goto(`http://127.0.0.1:${port}/`)
    answers.length = 0
    await page.evaluate(async (keys) => {
      const post = { method: 'POST', credentials: 'include', body: '{"name":"forged"}' } as const
      await fetch(keys, { ...post, mode: 'no-cors' })
      await fetch(keys, { ...post, headers: { 'content-type': 'application/json' } }).catch(() => null)
      await fetch(keys, { credentials: 'include', mode: 'no-cors' })
      await new Promise((resolve) => {
        const image = new Image()
        image.onload = image.onerror = resolve
        image.src = `${keys.replace('keys', 'requests')}?topic=dark%20mode&source=realtime`
      })
      document.querySelector('form')?.submit()
    }, `${test.service.url}/api/v1/keys`)
    // The preflight of the second is all that comes of it.
    await expect
      .poll(() => [...answers].sort(), { timeout: 60_000 })
      .toEqual([
        ...['GET /api/v1/keys 403', 'GET /api/v1/requests 403', 'OPTIONS /api/v1/keys 404'],
        ...['POST /api/v1/keys 403', 'POST /api/v1/keys 403'],
      ])
  })
})
