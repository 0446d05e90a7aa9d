import { sql } from 'kysely'
import { Type } from 'typebox'
import type { PlatformName } from '../../database/column-types.ts'
import type { Executor } from '../../database/open.ts'
import type { App } from '../../http/app-type.ts'
import { ServiceError } from '../../http/errors.ts'
import { closed, errorResponses, oneOf } from '../../http/schemas.ts'
import type { CorrectionDependencies } from '../../requests/corrections/corrections.ts'
import { createOpenExports, maxExportsPerAccount } from './routes.ts'

/** A text and its human label: a line of the export and of `bench/detection.ts --labelled`. */
interface LabelledText {
  title: string
  description: string
  platform: PlatformName
  tags: string[]
  label: boolean
  by: 'operator' | 'account'
  /** By detection. */
  confidence: number
}

interface Row extends LabelledText {
  sourceHash: string
  owner: string
}

const pageSize = 100
/** Sorts the operator's corrections after those of accounts, as the index sorts null. */
const operator = 'ffffffff-ffff-ffff-ffff-ffffffffffff'

/** Exports corrections of stored requests as JSON Lines, in the order of request hashes, without accounts. */
async function* exportLabelledTexts(executor: Executor): AsyncGenerator<string> {
  for (let after = { sourceHash: '', owner: operator }; ; ) {
    const { rows } = await sql<Row>`
      select source_hash as "sourceHash", coalesce(account_id, ${operator}) as owner, title, description,
        requests.platform, tags, is_request as label, case when account_id is null then 'operator' else 'account' end as by,
        confidence
      from request_corrections join requests on requests.id = request_id
      where source_hash >= ${after.sourceHash}
        and (source_hash, coalesce(account_id, ${operator})) > (${after.sourceHash}, ${after.owner}::uuid)
      order by source_hash, account_id limit ${pageSize}`.execute(executor)
    const last = rows.at(-1)
    if (last === undefined) return
    yield rows.map(({ sourceHash: _, owner: __, ...text }) => `${JSON.stringify(text)}\n`).join('')
    if (rows.length < pageSize) return
    after = last
  }
}

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
/** A reader that reads nothing for this long counts as disconnected. */
const silenceMs = 60_000

/** Registers the export of labels for training detection. */
export function registerCorrectionExport(app: App, { database, authentication }: CorrectionDependencies): void {
  const exports = createOpenExports()
  app.addHook('preClose', async () => exports.stop())
  app.get(
    '/api/admin/corrections/requests/export',
    {
      onRequest: authentication.requireAdmin,
      // A HEAD would read everything and send nothing.
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
