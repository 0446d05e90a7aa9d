import { Type } from 'typebox'
import type { Authentication } from '../../accounts/authentication.ts'
import type { App } from '../../http/app-type.ts'
import { closed, errorResponses } from '../../http/schemas.ts'
import type { Backups } from './backup.ts'

interface BackupRouteDependencies {
  authentication: Authentication
  backups: Backups
}

/** Registers the operator's backup route. */
export function registerBackupRoutes(app: App, { authentication, backups }: BackupRouteDependencies): void {
  // Before the server waits for open responses, one of which may be a backup.
  app.addHook('preClose', () => backups.stop())

  app.get('/api/admin/backup', {
    onRequest: authentication.requireAdmin,
    // A HEAD would copy the whole database for nothing.
    exposeHeadRoute: false,
    schema: {
      operationId: 'downloadBackup',
      summary: 'Download a consistent copy of the embedded database, as a tar.gz for `wishwell admin restore`',
      description: 'Only one at a time. With `DATABASE_URL` it is a 409: use pg_dump.',
      tags: ['Admin'],
      security: [{ adminKey: [] }],
      querystring: closed({}),
      response: {
        200: {
          description: 'The archive: a manifest and the files of the database',
          content: { 'application/gzip': { schema: Type.Unsafe<unknown>({ type: 'string', format: 'binary' }) } },
        },
        ...errorResponses('INVALID_REQUEST', 'UNAUTHORIZED', 'CONFLICT'),
      },
    },
    handler: async (_request, reply) => {
      const archive = await backups.create()
      return reply
        .header('content-type', 'application/gzip')
        .header('content-disposition', 'attachment; filename="wishwell-backup.tar.gz"')
        .header('cache-control', 'no-store')
        .send(archive)
    },
  })
}
