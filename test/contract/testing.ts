import { afterAll, beforeAll } from 'vitest'
import type { TestClient } from '../client.ts'
import { startRoundRobinService } from '../round-robin/contract-service.ts'
import { startTestService, testAdminKey } from '../service.ts'
import type { ContractOptions, ContractService } from './contract-service.ts'

export const json = { 'content-type': 'application/json' }
/** An id of the right form that nothing has. */
export const unknownId = '00000000-0000-4000-8000-000000000000'

/** A part of the document with what its references name in their place. */
function resolved(part: unknown, document: unknown): unknown {
  if (Array.isArray(part)) return part.map((one) => resolved(one, document))
  if (typeof part !== 'object' || part === null) return part
  const { $ref: reference, ...rest } = part as { $ref?: string }
  const own = Object.fromEntries(Object.entries(rest).map(([key, value]) => [key, resolved(value, document)]))
  if (reference === undefined) return own
  const target = reference
    .split('/')
    .slice(1)
    .reduce<unknown>((from, name) => (from as Record<string, unknown>)[name], document)
  if (target === undefined) throw new Error(`the document has no ${reference}`)
  return { ...(resolved(target, document) as object), ...own }
}

/** The API document, without references. */
// biome-ignore lint/suspicious/noExplicitAny: each file reads other parts of it.
export async function readDocument(client: TestClient): Promise<any> {
  const { body } = await client.get('/openapi.json')
  return resolved(body, body)
}

/** The kind of key that a route requires. */
export type Key = 'account' | 'admin'

/** Starts the service of the project that runs: one in this process, or several processes behind a load balancer. */
export async function startContractService(options: ContractOptions): Promise<ContractService> {
  if (process.env.TEST_SERVICE === 'round-robin') return startRoundRobinService(options)
  const { environment, platformsFrom } = options
  const { platforms } = platformsFrom ? await import(platformsFrom) : {}
  const service = await startTestService({
    ownDatabase: true,
    ...(environment ? { environment } : {}),
    ...(platforms ? { platforms } : {}),
  })
  return Object.assign(service, { processUrl: service.url })
}

/** One service for all tests of a file. @param callsBetweenKills as in `ContractOptions`, for a file of many calls */
export function prepareContract(callsBetweenKills = 6): {
  readonly service: ContractService
  clientOf(key: Key): TestClient
} {
  let service: ContractService
  beforeAll(async () => {
    service = await startContractService({ environment: { LIVE_DEADLINE_SECONDS: '1' }, callsBetweenKills })
  })
  afterAll(() => service.stop())
  return {
    get service() {
      return service
    },
    clientOf: (key) => service.clientFor(key === 'admin' ? testAdminKey : service.apiKey),
  }
}
