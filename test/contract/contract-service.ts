import type { TestService } from '../service.ts'

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
