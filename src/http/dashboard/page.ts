import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import fastifyStatic from '@fastify/static'
import type { FastifyReply, FastifyRequest, onRequestAsyncHookHandler } from 'fastify'
import type { RemovalContact } from '../../runtime/removal-contact.ts'
import type { App } from '../app-type.ts'
import { encodingFor, isKnown } from '../compression.ts'
import { escapeHtml } from '../html.ts'

/** Allows only the dashboard's own files: no inline scripts or styles, other sites or frames. */
export const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "font-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ')

/** Headers of every dashboard file. */
export const pageHeaders: Record<string, string> = {
  'content-security-policy': contentSecurityPolicy,
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=()',
  'referrer-policy': 'same-origin',
  // For browsers without frame-ancestors.
  'x-frame-options': 'DENY',
}

const unbuiltPage = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Wishwell</title>
</head>
<body>
<main>
<h1>Wishwell</h1>
<p>This service collects feature requests from public platforms, lets people search them, and meters live
collection with credits.</p>
<p>Its page is not built here. <code>npm start</code> builds it; <code>npm run build:dashboard</code> does so without
starting anything. Then start the service again.</p>
<p>The API works without it: <a href="/openapi.json">the API document</a> (OpenAPI 3.1) describes every call.
<a href="/readyz">Its state</a> says what it runs on.</p>
<p>Start a collection, with the API key that the service printed at its first start:</p>
<pre>curl -X POST "$WISHWELL_URL/api/v1/scrape" \\
  -H "Authorization: Bearer $WISHWELL_API_KEY" \\
  -H "Content-Type: application/json" \\
  -d '{"topic": "dark mode"}'</pre>
</main>
</body>
</html>
`

/** Adds the contact for authors to the document itself, so it shows without session, call or script. */
function withFooter(html: string, contact: RemovalContact | undefined): string {
  if (contact === undefined) return html
  const link = `<a href="${escapeHtml(contact.href)}">${escapeHtml(contact.text)}</a>`
  const footer = `<footer class="removal-contact">To have a post removed or get a copy: ${link}</footer>`
  const end = html.lastIndexOf('</body>')
  return end === -1 ? html + footer : `${html.slice(0, end)}${footer}\n${html.slice(end)}`
}

/** Embeds prices for the page's script, `dashboard/src/api/pricing.ts`. */
const withPricing = (html: string, pricing: object) =>
  html.replace('</head>', () => `<meta name="pricing" content="${escapeHtml(JSON.stringify(pricing))}">\n</head>`)

const yearSeconds = 365 * 24 * 60 * 60

/** Compressed variants made by the build, not served under their own names. */
const isCompressed = (path: string) => path.endsWith('.br') || path.endsWith('.gz')
const isHidden = (path: string) => path.split('/').some((name) => name.startsWith('.'))

/** The files of a built page, and whether each is there uncompressed, too: in the package a file is not that has a `.gz`. Empty without a built page. */
function listFiles(directory: string): Map<string, boolean> {
  try {
    const entries = readdirSync(directory, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
    const paths = entries
      .map((entry) =>
        join(entry.parentPath, entry.name)
          .slice(directory.length + 1)
          .replaceAll('\\', '/'),
      )
      .filter((path) => !isHidden(path))
    const packed = paths
      .filter((path) => path.endsWith('.gz'))
      .map((path): [string, boolean] => [path.slice(0, -3), false])
    return new Map([
      ...packed,
      ...paths.filter((path) => !isCompressed(path)).map((path): [string, boolean] => [path, true]),
    ])
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return new Map()
    throw error
  }
}

/** Whether a browser opens this path as a page. API calls, API paths and file-like paths get an ordinary 404. */
function isPageView(path: string, { headers }: FastifyRequest): boolean {
  if (/^(api|assets)?(\/|$)/.test(path)) return false
  const lastName = path.slice(path.lastIndexOf('/') + 1)
  return !lastName.includes('.') && (headers.accept ?? '').includes('text/html')
}

interface PageOptions {
  pageDirectory: string
  /** Shown at the end of every view. */
  removalContact: RemovalContact | undefined
  pricing: object
  /** Limits calls, which need no key. */
  guardFiles: onRequestAsyncHookHandler
}

/**
 * Serves files that existed at startup, and `index.html` of the startup for every path a browser opens: a later build's
 * names other files. Without a build, `/` says how to make one.
 */
export async function registerPage(
  app: App,
  { pageDirectory: directory, removalContact, pricing, guardFiles: onRequest }: PageOptions,
): Promise<void> {
  const files = listFiles(directory)
  const isBuilt = files.has('index.html')
  const html = isBuilt ? readFileSync(join(directory, 'index.html'), 'utf8') : unbuiltPage
  const index = Buffer.from(withPricing(withFooter(html, removalContact), pricing))
  const indexTag = `"${createHash('sha256').update(index).digest('base64url')}"`
  await app.register(fastifyStatic, { serve: false, root: directory, preCompressed: true, cacheControl: false })

  const sendFile = (request: FastifyRequest, reply: FastifyReply, path: string) => {
    // The names of assets contain a hash of their content: a file of the same name never changes.
    const cacheControl = path.startsWith('assets/') ? `public, max-age=${yearSeconds}, immutable` : 'no-cache'
    reply.headers(pageHeaders).header('cache-control', cacheControl)
    if (files.get(path) || encodingFor(request.headers['accept-encoding']) !== null) return reply.sendFile(path)
    reply.type(path.endsWith('.css') ? 'text/css; charset=utf-8' : 'text/javascript; charset=utf-8')
    return reply.header('vary', 'accept-encoding').send(gunzipSync(readFileSync(join(directory, `${path}.gz`))))
  }
  const view = (request: FastifyRequest, reply: FastifyReply) => {
    reply.headers({ ...pageHeaders, 'content-security-policy': contentSecurityPolicy }).type('text/html')
    if (!isBuilt) return reply.send(index)
    reply.headers({ 'cache-control': 'no-cache', etag: indexTag })
    return isKnown(request, indexTag) ? reply.code(304).send() : reply.send(index)
  }

  app.get('/', { schema: { hide: true }, onRequest }, view)
  app.get<{ Params: { '*': string } }>('/*', { schema: { hide: true }, onRequest }, (request, reply) => {
    const path = request.params['*']
    if (path === 'index.html' && isBuilt) return view(request, reply)
    if (files.has(path)) return sendFile(request, reply, path)
    if (isBuilt && isPageView(path, request)) return view(request, reply)
    return reply.callNotFound()
  })
}
