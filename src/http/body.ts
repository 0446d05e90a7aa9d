import { isUtf8 } from 'node:buffer'
import type { FastifyInstance } from 'fastify'
import { ServiceError } from './errors.ts'

const notUtf8 = () => new ServiceError('INVALID_REQUEST', 'body: is not valid UTF-8.')

/**
 * Bodies are JSON and nothing else. An empty one is a fault where a body is expected; many clients send its content type
 * with every DELETE, and there it means nothing. Bytes that are no UTF-8 are a fault: decoded they would become U+FFFD, and nobody
 * would know what was sent.
 */
export function acceptOnlyJson(app: FastifyInstance): void {
  app.removeContentTypeParser(['text/plain', 'application/json'])
  const parseJson = app.getDefaultJsonParser('error', 'error')
  app.addContentTypeParser<Buffer>('application/json', { parseAs: 'buffer' }, (request, body, done) => {
    const text = body.toString()
    if (!isUtf8(body)) done(notUtf8())
    else if (text === '' && request.method === 'DELETE') done(null, undefined)
    else parseJson(request, text, done)
  })
}
