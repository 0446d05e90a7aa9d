import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import { brotliDecompressSync } from 'node:zlib'
import type { onRequestAsyncHookHandler } from 'fastify'
import type { App } from '../app-type.ts'
import { prepareAnswer } from '../compression.ts'
import { contentSecurityPolicy, pageHeaders } from '../dashboard/page.ts'
import { documentationOf, type ErrorCode, errorCatalogue } from '../errors.ts'
import { escapeHtml } from '../html.ts'

interface ReferenceOptions {
  /** Directory of the built page and the reference's script. */
  pageDirectory: string
  /** Limits calls, which need no key. */
  onRequest: onRequestAsyncHookHandler
}

/** The script styles its elements and adds a style sheet, but runs only itself and calls only this service. */
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

/** Converts text to HTML, with backticks as code. */
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
    <p><a href="/docs">Documentation</a></p>
  </body>
</html>
`
}

/** `GET /docs/errors/{code}`: an error's meaning and remedy. Errors link to it. */
function registerErrorPages(app: App, onRequest: onRequestAsyncHookHandler): void {
  for (const code of Object.keys(errorCatalogue) as ErrorCode[]) {
    const sendPage = prepareAnswer(() => htmlOfError(code))
    app.get(documentationOf(code), { schema: { hide: true }, onRequest }, (request, reply) =>
      sendPage(request, reply.headers(pageHeaders).type('text/html; charset=utf-8')),
    )
  }
}

const types: Record<string, string> = {
  '.html': 'text/html',
  '.css': 'text/css',
  '.js': 'text/javascript',
  '.md': 'text/markdown',
  '.txt': 'text/plain',
}

/** A file's text; names ending with `.br` are compressed. */
function readText(path: string): string {
  const bytes = readFileSync(path)
  return (path.endsWith('.br') ? brotliDecompressSync(bytes) : bytes).toString()
}

/** Built documentation files by address: `/docs/collecting` is `docs/collecting.html`, `/docs` the quickstart. */
function listBuilt(pageDirectory: string): Map<string, string> {
  const docs = join(pageDirectory, 'docs')
  const names = existsSync(docs) ? readdirSync(docs) : []
  const files = names.map((name) => [`/docs/${name.replace(/\.(html|br)$/, '')}`, join(docs, name)] as const)
  const texts = ['llms.txt', 'llms-full.txt'].map((name) => [`/${name}`, join(pageDirectory, name)] as const)
  const all = [...files, ...texts, ['/docs', join(docs, 'quickstart.html')] as const]
  return new Map(all.filter(([, path]) => existsSync(path)))
}

/** Serves the built `/docs`, and the API document by Scalar at `/docs/reference`. */
export function registerReference(app: App, { pageDirectory, onRequest }: ReferenceOptions): void {
  const built = listBuilt(pageDirectory)
  const isBuilt = built.has('/docs/reference.js')
  registerErrorPages(app, onRequest)
  for (const [url, path] of built) {
    const sendFile = prepareAnswer(() => readText(path))
    app.get(url, { schema: { hide: true }, onRequest }, (request, reply) =>
      sendFile(request, reply.headers(pageHeaders).type(`${types[extname(url) || '.html']}; charset=utf-8`)),
    )
  }
  const sendReference = prepareAnswer(() => htmlOf(isBuilt))
  for (const url of built.has('/docs') ? ['/docs/reference'] : ['/docs', '/docs/reference']) {
    app.get(url, { schema: { hide: true }, onRequest }, (request, reply) => {
      reply.headers({ ...pageHeaders, 'content-security-policy': policy }).type('text/html; charset=utf-8')
      return sendReference(request, reply)
    })
  }
}
