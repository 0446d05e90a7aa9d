import type { Authentication } from '../../accounts/authentication.ts'
import type { App } from '../../http/app-type.ts'
import { closed } from '../../http/schemas.ts'

/** The media type of Prometheus' text format. */
export const expositionType = 'text/plain; version=0.0.4; charset=utf-8'

export interface MetricsRouteDependencies {
  authentication: Authentication
  /** All series as text. */
  expose: () => Promise<string>
}

/** `GET /metrics` at the address of the service: for the operator only. */
export function registerMetricsRoute(app: App, { authentication, expose }: MetricsRouteDependencies): void {
  app.get(
    '/metrics',
    {
      onRequest: authentication.requireAdmin,
      // For Prometheus; the API document describes JSON.
      schema: { hide: true, operationId: 'readMetrics', querystring: closed({}) },
    },
    async (_request, reply) =>
      reply
        .type(expositionType)
        .header('cache-control', 'no-store')
        .send(await expose()),
  )
}
