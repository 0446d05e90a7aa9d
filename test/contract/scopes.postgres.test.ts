import { beforeAll, describe, expect, it } from 'vitest'
import type { KeyScope } from '../../src/database/column-types.ts'
import type { TestClient } from '../client.ts'
import { json, prepareContract, readDocument, unknownId } from './testing.ts'

// Holds (Watches, news and channels): every route refuses keys with a lower scope

// What keys of each scope may call, for every route of the OpenAPI document: a route that changes something and is not refused to a
// key that may only read must be named here.

const contract = prepareContract(35)

/** They change nothing, or only with what their parameters say (see below). */
const openToReaders = ['POST /api/v1/briefs/verify', 'POST /api/v1/requests/search', 'POST /api/v1/watches/preview']
/** Reads that a key which does not manage may not make, because they tell of other keys and of addresses. */
const readsForManagers = [/^GET \/api\/v1\/(keys|links|channels|feeds|shares|trackers|pushes)(\/|$)/]
/** Changes that need no more than `collect`; all others need `manage`. */
const changesForCollectors = [
  /^\w+ \/api\/v1\/(scrape|requests|corrections|accuracy|wishes|suggestions|views|briefs|watches|news|feedback)(\/(?!.*\/pushes$)|$)/,
]

interface Route {
  name: string
  method: string
  path: string
  operation: { security?: Record<string, unknown>[]; responses: Record<string, { description: string }> }
}

const clients = new Map<KeyScope, TestClient>()
let routes: Route[]
beforeAll(async () => {
  const { service } = contract
  for (const scope of ['read', 'collect', 'manage'] as const) {
    const { body } = await service.client.post('/api/v1/keys', { name: scope, scope })
    clients.set(scope, service.clientFor(body.data.apiKey))
  }
  const document = await readDocument(service.client)
  routes = Object.entries<Record<string, Route['operation']>>(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, operation]) => {
      const name = `${method.toUpperCase()} ${path}`
      const isOfAccounts = operation.security?.some((way) => 'apiKey' in way) ?? false
      return isOfAccounts ? [{ name, method: method.toUpperCase(), path, operation }] : []
    }),
  )
})

const matches = (patterns: RegExp[], { name }: Route) => patterns.some((pattern) => pattern.test(name))
const isRead = ({ method }: Route) => method === 'GET' || method === 'HEAD'

function neededScope(route: Route): KeyScope {
  if (openToReaders.includes(route.name)) return 'read'
  if (isRead(route)) return matches(readsForManagers, route) ? 'manage' : 'read'
  return matches(changesForCollectors, route) ? 'collect' : 'manage'
}

/** The code of a refused call, or null for any answer that the scope did not prevent. */
async function refusalOf(scope: KeyScope, { method, path }: Route): Promise<string | null> {
  const options = isRead({ method } as Route) ? {} : { headers: json, body: '{}' }
  const answer = await clients.get(scope)!.send(method, path.replaceAll(/\{[^}]+\}/g, unknownId), options)
  expect([answer.status === 403, path], answer.text).toEqual([answer.body?.error?.code === 'SCOPE_EXCEEDED', path])
  return answer.status === 403 ? answer.body.error.code : null
}

describe('every route of accounts', () => {
  it.each<KeyScope>(['read', 'collect', 'manage'])(
    'is refused to a key of the scope %s if it needs more',
    async (scope) => {
      const order: KeyScope[] = ['read', 'collect', 'manage']
      const refused: string[] = []
      for (const route of routes) if ((await refusalOf(scope, route)) !== null) refused.push(route.name)
      const expected = routes.filter((route) => order.indexOf(neededScope(route)) > order.indexOf(scope))
      expect(refused).toEqual(expected.map(({ name }) => name))
      expect(routes.length).toBeGreaterThan(25)
    },
  )

  it('documents the refusal where there is one', () => {
    const dependsOnParameters = ['POST /api/v1/requests/search', 'GET /api/v1/requests']
    const documented = routes.filter(({ operation }) =>
      operation.responses[403]?.description.includes('SCOPE_EXCEEDED'),
    )
    const expected = routes.filter((route) => neededScope(route) !== 'read' || dependsOnParameters.includes(route.name))
    expect(documented.map(({ name }) => name)).toEqual(expected.map(({ name }) => name))
  })
})

describe('what costs a credit by its parameters', () => {
  it.each([
    ['an expanded search', 'POST', '/api/v1/requests/search', { query: 'dark mode', expand: true }],
    ['a list with source=realtime', 'GET', '/api/v1/requests?source=realtime&topic=dark%20mode', undefined],
  ])('%s is refused to a key that may only read', async (_what, method, path, body) => {
    const options = body === undefined ? {} : { headers: json, body: JSON.stringify(body) }
    const answer = await clients.get('read')!.send(method, path, options)
    expect([answer.status, answer.body.error.code]).toEqual([403, 'SCOPE_EXCEEDED'])
    expect(answer.body.error.message).toBe('This call needs a key with the scope "collect". Yours has "read".')
    const usage = await clients.get('read')!.get('/api/v1/usage')
    expect(usage.body.data.credits.used).toBe(0)
  })
})
