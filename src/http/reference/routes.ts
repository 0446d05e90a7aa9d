import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { onRequestAsyncHookHandler } from 'fastify'
import type { App } from '../app-type.ts'
import { prepareAnswer } from '../compression.ts'
import { contentSecurityPolicy, escapeHtml, pageHeaders } from '../dashboard/page.ts'
import { documentationOf, type ErrorCode, errorCatalogue } from '../errors.ts'

interface ReferenceOptions {
  /** Where the built page is, and with it the script of the reference. */
  pageDirectory: string
  /** Counts the calls, which need no key. */
  onRequest: onRequestAsyncHookHandler
}

/** The script sets styles of its elements and inserts a style sheet; it may still run nothing but itself, and call nothing but this service. */
const policy = contentSecurityPolicy
  .replace("style-src 'self'", "style-src 'self' 'unsafe-inline'")
  .replace("font-src 'self'", "font-src 'self' data:")

const htmlOf = (isBuilt: boolean) => `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <link rel="icon" href="data:," />
    <title>API reference · Wishwell</title>
    <script defer src="/docs/reference.js"></script>
  </head>
  <body>
    <div id="reference"></div>
    ${isBuilt ? '<noscript>' : ''}<a href="/openapi.json">/openapi.json</a> describes every call without a script.${isBuilt ? '</noscript>' : ''}
  </body>
</html>
`

/** As HTML, with what stands between backticks as code. */
const htmlOfText = (text: string): string => escapeHtml(text).replace(/`([^`]+)`/g, '<code>$1</code>')

const htmlOfError = (code: ErrorCode): string => {
  const { status, meaning, remedy } = errorCatalogue[code]
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <title>${code} · Wishwell</title>
  </head>
  <body>
    <h1>${code}</h1>
    <p>Status ${status}. ${htmlOfText(meaning)}</p>
    <p>${htmlOfText(remedy)}</p>
    <p><a href="/docs">API reference</a></p>
  </body>
</html>
`
}

/** `GET /docs/errors/{code}`: what an error means, and what helps. Errors name it. */
function registerErrorPages(app: App, onRequest: onRequestAsyncHookHandler): void {
  for (const code of Object.keys(errorCatalogue) as ErrorCode[]) {
    const sendPage = prepareAnswer(() => htmlOfError(code))
    app.get(documentationOf(code), { schema: { hide: true }, onRequest }, (request, reply) =>
      sendPage(request, reply.headers(pageHeaders).type('text/html; charset=utf-8')),
    )
  }
}

/** `GET /docs`: the API document for people, shown by Scalar, whose script is part of the built page. */
export function registerReference(app: App, { pageDirectory, onRequest }: ReferenceOptions): void {
  const path = join(pageDirectory, 'docs', 'reference.js')
  const isBuilt = existsSync(path)
  const sendPage = prepareAnswer(() => htmlOf(isBuilt))
  registerErrorPages(app, onRequest)
  const sendScript = prepareAnswer(() => readFileSync(path, 'utf8'))
  app.get('/docs', { schema: { hide: true }, onRequest }, (request, reply) =>
    sendPage(
      request,
      reply.headers({ ...pageHeaders, 'content-security-policy': policy }).type('text/html; charset=utf-8'),
    ),
  )
  if (!isBuilt) return
  app.get('/docs/reference.js', { schema: { hide: true }, onRequest }, (request, reply) =>
    sendScript(request, reply.headers(pageHeaders).type('text/javascript; charset=utf-8')),
  )
}
