import { Type } from 'typebox'
import type { RouteDependencies } from '../accounts/authentication.ts'
import type { PlatformName } from '../database/column-types.ts'
import type { App } from '../http/app-type.ts'
import { type PageInput, pageOf, pageOfShort, pageParameters } from '../http/pagination.ts'
import { closed, errorResponses, trimmedText } from '../http/schemas.ts'
import type { Budget } from './budget/budget.ts'
import type { HostMemoryStore } from './budget/host-memory.ts'
import type { PlatformClient } from './client/client.ts'
import type { PlatformsConfig } from './settings.ts'
import { platform, type ReadYields, readPlatformStatus } from './status.ts'

export interface PlatformRoutesDependencies extends Omit<RouteDependencies, 'idempotent'> {
  platformsConfig: PlatformsConfig
  hosts: ReadonlyMap<PlatformName, readonly Budget[]>
  hostMemory: HostMemoryStore
  platformClient: PlatformClient
  readYields: ReadYields
}

export function registerPlatformRoutes(app: App, dependencies: PlatformRoutesDependencies): void {
  const { database, clock, authentication, platformsConfig: config, hosts, hostMemory, readYields } = dependencies
  const answerFor = async (accountId: string | null, { topic, ...query }: PageInput & { topic?: string }) => {
    await hostMemory.save()
    const statuses = await readPlatformStatus({ database, config, hosts, now: clock.now() })
    const yields = await readYields(accountId, topic)
    const platforms = statuses.map((status) => ({ ...status, yield: yields.get(status.platform) ?? null }))
    const positionOf = (one: (typeof platforms)[number]) => String(platforms.indexOf(one)).padStart(3, '0')
    return { data: pageOfShort(platforms, query, { list: 'platforms', positionOf }) }
  }
  const querystring = closed({
    ...pageParameters,
    topic: Type.Optional(trimmedText(2, 100, 'What `yield` is about; without it all topics')),
  })
  const summary = 'List every platform: whether it is on and usable, what is left of its limits, and what to do'
  const response = {
    200: closed({ data: pageOf(platform) }),
    ...errorResponses('INVALID_REQUEST', 'UNAUTHORIZED'),
  }
  app.get('/api/v1/platforms', {
    schema: {
      operationId: 'listPlatforms',
      summary,
      tags: ['Platforms'],
      security: [{ apiKey: [] }],
      querystring,
      response,
    },
    onRequest: authentication.requireAccount,
    handler: (request) => answerFor(authentication.accountOf(request).accountId, request.query),
  })
  app.get('/api/admin/platforms', {
    schema: {
      operationId: 'listPlatformsForOperator',
      summary: `${summary}, for the operator`,
      tags: ['Admin'],
      security: [{ adminKey: [] }],
      querystring,
      response,
    },
    onRequest: authentication.requireAdmin,
    handler: ({ query }) => answerFor(null, query),
  })
}
