import type { App } from '../http/app-type.ts'
import { pageHeaders } from '../http/security-headers.ts'
import { type ApiDocument, renderReference } from './page.ts'
import { referenceStyle } from './style.ts'

/** `GET /docs`: the API document for people. @param readDocument returns it when all routes are registered */
export function registerReference(app: App, readDocument: () => ApiDocument): void {
  // Routes do not change while the service runs.
  let page: string | null = null
  app.get('/docs', { schema: { hide: true } }, async (_request, reply) => {
    page ??= renderReference(readDocument())
    return reply.headers(pageHeaders).header('cache-control', 'no-cache').type('text/html; charset=utf-8').send(page)
  })
  app.get('/docs/reference.css', { schema: { hide: true } }, async (_request, reply) =>
    reply.headers(pageHeaders).header('cache-control', 'no-cache').type('text/css; charset=utf-8').send(referenceStyle),
  )
}
