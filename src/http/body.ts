import { isUtf8 } from 'node:buffer'
import type { FastifyInstance } from 'fastify'
import { ServiceError } from './errors.ts'

const notUtf8 = () => new ServiceError('INVALID_REQUEST', 'body: is not valid UTF-8.')

/**
 * Bodies are JSON and nothing else. An empty body is an error for a route with a body; for DELETE it is ignored, because many
 * clients send the content type with every DELETE. Bytes that are not UTF-8 are an error: decoding would replace them by U+FFFD.
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
