import { Type } from 'typebox'
import type { App } from '../../http/app-type.ts'
import { ServiceError } from '../../http/errors.ts'
import { closed, errorResponses, oneOf } from '../../http/schemas.ts'
import type { CorrectionDependencies } from '../../requests/corrections/dependencies.ts'
import { exportLabelledTexts } from '../../requests/corrections/labelled-texts.ts'
import { createOpenExports, maxExportsPerAccount } from './open-exports.ts'

const line = closed({
  title: Type.String(),
  description: Type.String(),
  platform: Type.String(),
  tags: Type.Array(Type.String()),
  label: Type.Boolean({ description: 'Whether it is a feature request' }),
  by: oneOf(['operator', 'account']),
  confidence: Type.Number({ description: 'By detection, 0 to 1' }),
})

const schema = {
  operationId: 'exportCorrections',
  summary: 'Export all corrections as labelled texts, one JSON object a line',
  description:
    'Of every account and of the operator, with the texts of the corrected requests; those whose request is not stored are left out. The same ' +
    'corrections give the same lines. An export that fails midway breaks its connection.',
  tags: ['Admin'],
  security: [{ adminKey: [] }],
  response: {
    200: {
      description: 'The labelled texts, one a line',
      content: { 'application/x-ndjson': { schema: Type.Unsafe<unknown>(line) } },
    },
    ...errorResponses('INVALID_REQUEST', 'UNAUTHORIZED'),
  },
}

const retryAfterSeconds = 10
/** A reader that reads nothing for so long is gone. */
const silenceMs = 60_000

/** What people said, as input of the training of detection. */
export function registerCorrectionExport(app: App, { database, authentication }: CorrectionDependencies): void {
  const exports = createOpenExports()
  app.addHook('preClose', async () => exports.stop())
  app.get(
    '/api/admin/corrections/export',
    {
      onRequest: authentication.requireAdmin,
      // It would read everything and send none of it.
      exposeHeadRoute: false,
      schema,
    },
    async (_request, reply) => {
      const stream = await exports.open('admin', async () => exportLabelledTexts(database))
      if (stream === null) {
        reply.header('retry-after', retryAfterSeconds)
        const message = `Too many open exports (${maxExportsPerAccount}). Wait for one to end.`
        throw new ServiceError('RATE_LIMITED', message, { reason: 'rate' })
      }
      reply.raw.setTimeout(silenceMs, () => stream.destroy(new Error('The reader of an export is gone.')))
      return reply
        .header('cache-control', 'no-store')
        .header('x-accel-buffering', 'no')
        .type('application/x-ndjson; charset=utf-8')
        .send(stream)
    },
  )
}
