import { Type } from 'typebox'
import type { RouteDependencies } from '../accounts/authentication.ts'
import type { PlatformName } from '../database/column-types.ts'
import type { App } from '../http/app-type.ts'
import { named } from '../http/openapi-components.ts'
import { type PageInput, pageOf, pageOfShort, pageParameters } from '../http/pagination.ts'
import { closed, errorResponses, moment, nullable, oneOf, openWord, trimmedText } from '../http/schemas.ts'
import type { Budget } from './budget/budget.ts'
import type { HostMemoryStore } from './budget/host-memory.ts'
import type { PlatformClient } from './client/client.ts'
import { platformNames } from './registry.ts'
import { platformErrorCode } from './schemas.ts'
import type { PlatformsConfig } from './settings.ts'
import { platformStates, type ReadYields, readPlatformStatus } from './status.ts'

export interface PlatformRoutesDependencies extends Omit<RouteDependencies, 'idempotent'> {
  platformsConfig: PlatformsConfig
  hosts: ReadonlyMap<PlatformName, readonly Budget[]>
  hostMemory: HostMemoryStore
  platformClient: PlatformClient
  readYields: ReadYields
}

const host = closed({
  host: Type.String({ description: 'A forum, an instance or the address of the API' }),
  state: oneOf(platformStates),
  resumesAt: nullable(moment('When it is queried again; null for now')),
  budget: closed(
    { remaining: Type.Integer(), limit: Type.Integer() },
    { description: 'Requests that may be sent in the current window, as far as this service can tell' },
  ),
  quota: nullable(
    closed(
      { remaining: Type.Integer(), limit: Type.Integer(), resetsAt: moment('When it is renewed, if known') },
      { description: 'Requests of the day, if the platform has such a quota' },
    ),
  ),
  failures: Type.Integer({ description: 'Failures in a row' }),
  lastSuccessAt: nullable(moment('When it last answered')),
  lastError: nullable(
    closed({
      code: platformErrorCode,
      message: Type.String(),
      at: moment('When its last failure was'),
    }),
  ),
})

const platform = closed(
  {
    platform: openWord(platformNames, 'Its name'),
    state: oneOf(platformStates, {
      description:
        '`waiting` for the next window, `unreachable` since its last try failed (`lastError` of its hosts), `paused` because it keeps failing, `quota_exhausted` until tomorrow, `not_configured` without its credentials, `off` by PLATFORMS',
    }),
    isDefault: Type.Boolean({ description: 'Whether a call that names no platforms uses it' }),
    votes: Type.String({ description: 'What `votes` of its requests count' }),
    missing: Type.Array(Type.String(), { description: 'Required variables that are not set' }),
    resumesAt: nullable(moment('When it is queried again; null for now')),
    lastSuccessAt: nullable(moment('When it last answered')),
    advice: nullable(Type.String({ description: 'What the operator should do' })),
    sources: nullable(
      closed(
        { form: Type.String(), example: Type.String() },
        { description: 'What `sources` of a job may name on this platform; null for nothing' },
      ),
    ),
    hosts: Type.Array(host),
    yield: nullable(
      closed(
        {
          isOfAlikeTopics: Type.Boolean({ description: 'Whether only topics with a word of `topic` count' }),
          topics: Type.Integer(),
          pages: Type.Integer(),
          found: Type.Integer(),
          likely: Type.Integer({ description: 'New and likely feature requests' }),
          creditsPerWish: nullable(
            Type.Number({ description: 'Pages for each likely one; null where there was none' }),
          ),
        },
        {
          description:
            'What it gave to your last 300 collections, the first of each topic; null before the first. To an operator, to those of all accounts',
        },
      ),
    ),
  },
  named('PlatformStatus'),
)

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
  app.get(
    '/api/v1/platforms',
    {
      schema: {
        operationId: 'listPlatforms',
        summary,
        tags: ['Platforms'],
        security: [{ apiKey: [] }],
        querystring,
        response,
      },
      onRequest: authentication.requireAccount,
    },
    (request) => answerFor(authentication.accountOf(request).accountId, request.query),
  )
  app.get(
    '/api/admin/platforms',
    {
      schema: {
        operationId: 'listPlatformsForOperator',
        summary: `${summary}, for the operator`,
        tags: ['Admin'],
        security: [{ adminKey: [] }],
        querystring,
        response,
      },
      onRequest: authentication.requireAdmin,
    },
    ({ query }) => answerFor(null, query),
  )
}
