import type { onRequestAsyncHookHandler } from 'fastify'
import type { App } from '../http/app-type.ts'
import { prepareAnswer } from '../http/prepared-answer.ts'
import { pageHeaders } from '../http/security-headers.ts'
import { type ApiDocument, renderReference } from './page.ts'
import { referenceStyle } from './style.ts'

export interface ReferenceOptions {
  /** Returns the document when all routes are registered. */
  readDocument: () => ApiDocument
  /** Counts the calls, which need no key. */
  onRequest: onRequestAsyncHookHandler
}

/** `GET /docs`: the API document for people. */
export function registerReference(app: App, { readDocument, onRequest }: ReferenceOptions): void {
  const sendPage = prepareAnswer(() => renderReference(readDocument()))
  const sendStyle = prepareAnswer(() => referenceStyle)
  app.get('/docs', { schema: { hide: true }, onRequest }, (request, reply) =>
    sendPage(request, reply.headers(pageHeaders).type('text/html; charset=utf-8')),
  )
  app.get('/docs/reference.css', { schema: { hide: true }, onRequest }, (request, reply) =>
    sendStyle(request, reply.headers(pageHeaders).type('text/css; charset=utf-8')),
  )
}
