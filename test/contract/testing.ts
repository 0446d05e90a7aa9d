import { afterAll, beforeAll } from 'vitest'
import type { TestClient } from '../client.ts'
import { startRoundRobinService } from '../round-robin/contract-service.ts'
import { startTestService, type TestService, testAdminKey } from '../service.ts'

export const json = { 'content-type': 'application/json' }
/** An id of the right form that nothing has. */
export const unknownId = '00000000-0000-4000-8000-000000000000'

/** The kind of key that a route requires. */
export type Key = 'account' | 'admin'

/** What the contract is about: a service behind an address, however many processes it has. */
export interface ContractService
  extends Pick<TestService, 'url' | 'apiKey' | 'client' | 'clientFor' | 'database' | 'stop'> {
  /** The address of one process, for bytes that a load balancer would refuse itself. */
  processUrl: string
}

export interface ContractOptions {
  environment?: Record<string, string>
  /** The URL of a module that exports `platforms`, so that each process can have them. */
  platformsFrom?: string
  /** With several processes: about how many calls are between two kills. */
  callsBetweenKills: number
}

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
