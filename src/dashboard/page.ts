import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import fastifyStatic from '@fastify/static'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { App } from '../http/app-type.ts'
import { contentSecurityPolicy, pageHeaders } from '../http/security-headers.ts'
import type { RemovalContact } from '../runtime/removal-contact.ts'
import { withFooter } from './footer.ts'
import { unbuiltPage } from './unbuilt-page.ts'

/** Where `npm run build:web` puts the page. */
export const builtPage = fileURLToPath(new URL('../../dashboard/dist', import.meta.url))

const yearSeconds = 365 * 24 * 60 * 60

/** Their names hold a hash of what is in them: a file of the same name never changes. */
const isAsset = (path: string) => path.startsWith('assets/')
/** Made at the build beside the file that they belong to, and never asked for by name. */
const isCompressed = (path: string) => path.endsWith('.br') || path.endsWith('.gz')
const isHidden = (path: string) => path.split('/').some((name) => name.startsWith('.'))

/** The files of a built page by their path; empty when there is none. */
function listFiles(directory: string): Set<string> {
  try {
    const entries = readdirSync(directory, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
    const paths = entries.map((entry) => join(entry.parentPath, entry.name).slice(directory.length + 1))
    return new Set(
      paths.map((path) => path.replaceAll('\\', '/')).filter((path) => !isCompressed(path) && !isHidden(path)),
    )
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return new Set()
    throw error
  }
}

/**
 * Whether a person's browser opens this path as a page: what a path means is decided by the page's own script. Everything that is
 * asked for by a program, looks like a file or belongs to the API is an ordinary 404.
 */
function isPageView(path: string, { headers }: FastifyRequest): boolean {
  if (/^(api|assets)?(\/|$)/.test(path)) return false
  const lastName = path.slice(path.lastIndexOf('/') + 1)
  return !lastName.includes('.') && (headers.accept ?? '').includes('text/html')
}

export interface PageOptions {
  /** An absolute path. */
  pageDirectory: string
  /** Shown at the end of every view. */
  removalContact: RemovalContact | undefined
}

/**
 * Serves the built page: its files, and `index.html` for every path that a browser opens. Nothing is read but the files that were
 * there when the service started; `index.html` as it was then, because a later build names other files, which belong to the
 * next start. Without a built page `/` says how to get one.
 */
export async function registerPage(app: App, { pageDirectory: directory, removalContact }: PageOptions): Promise<void> {
  const files = listFiles(directory)
  const isBuilt = files.has('index.html')
  const html = isBuilt ? readFileSync(join(directory, 'index.html'), 'utf8') : unbuiltPage
  const index = Buffer.from(withFooter(html, removalContact))
  const indexTag = `"${createHash('sha256').update(index).digest('base64url')}"`
  await app.register(fastifyStatic, { serve: false, root: directory, preCompressed: true, cacheControl: false })

  const sendFile = (reply: FastifyReply, path: string) => {
    const cacheControl = isAsset(path) ? `public, max-age=${yearSeconds}, immutable` : 'no-cache'
    return reply.headers(pageHeaders).header('cache-control', cacheControl).sendFile(path)
  }
  const view = (request: FastifyRequest, reply: FastifyReply) => {
    reply.headers({ ...pageHeaders, 'content-security-policy': contentSecurityPolicy }).type('text/html')
    if (!isBuilt) return reply.send(index)
    reply.headers({ 'cache-control': 'no-cache', etag: indexTag })
    // A proxy that compresses makes the tag a weak one.
    const isKnown = request.headers['if-none-match']?.replaceAll('W/', '').split(/, */).includes(indexTag)
    return isKnown ? reply.code(304).send() : reply.send(index)
  }

  app.get('/', { schema: { hide: true } }, view)
  app.get<{ Params: { '*': string } }>('/*', { schema: { hide: true } }, (request, reply) => {
    const path = request.params['*']
    if (path === 'index.html' && isBuilt) return view(request, reply)
    if (files.has(path)) return sendFile(reply, path)
    if (isBuilt && isPageView(path, request)) return view(request, reply)
    return reply.callNotFound()
  })
}
