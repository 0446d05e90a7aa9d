import { afterAll, beforeAll } from 'vitest'
import type { TestClient } from '../client.ts'
import { startRoundRobinService } from '../round-robin/contract-service.ts'
import { startTestService, testAdminKey } from '../service.ts'
import type { ContractOptions, ContractService } from './contract-service.ts'

export const json = { 'content-type': 'application/json' }
/** An id of the right form that nothing has. */
export const unknownId = '00000000-0000-4000-8000-000000000000'

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
