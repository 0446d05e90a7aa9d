import type { FastifyInstance } from 'fastify'

/**
 * Bodies are JSON and nothing else. An empty one is a fault where a body is expected; many clients send its content type
 * with every DELETE, and there it means nothing.
 */
export function acceptOnlyJson(app: FastifyInstance): void {
  app.removeContentTypeParser(['text/plain', 'application/json'])
  const parseJson = app.getDefaultJsonParser('error', 'error')
  app.addContentTypeParser<string>('application/json', { parseAs: 'string' }, (request, text, done) => {
    if (text === '' && request.method === 'DELETE') done(null, undefined)
    else parseJson(request, text, done)
  })
}
