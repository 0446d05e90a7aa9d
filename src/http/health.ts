import { Type } from 'typebox'
import type { App } from './app-type.ts'
import { ServiceError } from './errors.ts'
import { closed, errorBody, oneOf } from './schemas.ts'

export interface Health {
  ready: boolean
  version: string
  database: 'embedded' | 'postgres'
  search: 'bm25' | 'tsvector' | 'opensearch'
  queue: string
  /** Requests waiting to be placed in wishes, capped at 10,000. */
  unplacedRequests: number
  /** What the operator should do while the service runs on. */
  warnings: string[]
}

export interface HealthRoutes {
  /** False if a supervisor should restart the process. */
  isAlive: () => boolean
  health: () => Promise<Health>
}

/** `/healthz`: the process runs. `/readyz`: whether, and with which parts, it can serve. */
export function registerHealthRoutes(app: App, { isAlive, health }: HealthRoutes): void {
  app.get('/healthz', {
    schema: {
      operationId: 'readHealth',
      summary: 'Whether the process runs',
      tags: ['Service'],
      response: { 200: closed({ status: Type.String() }), 503: errorBody },
    },
    handler: async () => {
      if (!isAlive()) throw new ServiceError('UNAVAILABLE', 'The thread of the database does not answer.')
      return { status: 'ok' }
    },
  })

  app.get('/readyz', {
    schema: {
      operationId: 'readReadiness',
      summary: 'Whether the service can serve, and with which parts',
      tags: ['Service'],
      response: {
        200: closed({
          status: Type.String(),
          version: Type.String(),
          database: oneOf(['embedded', 'postgres']),
          search: oneOf(['bm25', 'tsvector', 'opensearch']),
          queue: Type.String(),
          unplacedRequests: Type.Integer({
            minimum: 0,
            description: 'How many requests wait to be placed in wishes; 10000 stands for that many or more',
          }),
          warnings: Type.Array(Type.String(), {
            description: 'What the operator should do while the service goes on; usually nothing',
          }),
        }),
        503: errorBody,
      },
    },
    handler: async () => {
      const { ready, ...rest } = await health()
      if (!ready)
        throw new ServiceError('UNAVAILABLE', 'The service is starting or stopping, or its database cannot be reached.')
      return { status: 'ready', ...rest }
    },
  })
}
