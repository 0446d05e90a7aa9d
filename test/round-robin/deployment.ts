import { type ChildService, startChildService } from '../child-service.ts'
import { type LoadBalancer, type LoadBalancerOptions, startLoadBalancer } from './load-balancer.ts'

export type Role = 'api' | 'worker'

export interface DeployedProcess {
  /** `api 1`, `worker 2`. */
  readonly name: string
  readonly role: Role
  /** The process that runs, or ran last. */
  readonly service: ChildService
  readonly isRunning: boolean
}

export interface DeploymentOptions {
  /** Of all processes; `ROLE` is set here. */
  environment: Record<string, string | undefined>
  /** What starts a process, instead of `wishwell serve`. */
  program?: readonly string[]
  beforeCall?: LoadBalancerOptions['beforeCall']
}

export interface Deployment {
  /** Where callers reach it: the load balancer. */
  readonly url: string
  readonly balancer: LoadBalancer
  readonly processes: readonly DeployedProcess[]
  /** Ends a process with kill -9. */
  kill(process: DeployedProcess): Promise<void>
  /** Starts a killed process again; an api process is ready for calls then. */
  startAgain(process: DeployedProcess): Promise<void>
  /** Ends all processes with SIGTERM. @returns the exit code of each. */
  end(): Promise<(number | null)[]>
  /** Ends what still runs, also after a failure. */
  close(): Promise<void>
}

const roles: readonly Role[] = ['api', 'api', 'worker', 'worker']

/** Starts two api and two worker processes of the service on one Postgres, and a load balancer before them. */
export async function startDeployment({ environment, program, beforeCall }: DeploymentOptions): Promise<Deployment> {
  const started = new Set<ChildService>()
  const start = async (role: Role): Promise<ChildService> => {
    const service = await startChildService({ ...environment, ROLE: role }, program, { outlivesTest: true })
    started.add(service)
    return service
  }
  const processes: DeployedProcess[] = []
  const balancer = await startLoadBalancer({
    addresses: () => processes.flatMap(({ role, service }) => (role === 'api' ? [service.url] : [])),
    ...(beforeCall ? { beforeCall } : {}),
  })
  const becomesReady = ({ role, service }: DeployedProcess) =>
    role === 'api' ? balancer.whenReady(service.url) : Promise.resolve()
  // At once, as a deployment starts them.
  const starts = roles.map(start)
  try {
    const services = await Promise.all(starts)
    for (const [index, service] of services.entries()) {
      const role = roles[index]!
      processes.push({ name: `${role} ${(index % 2) + 1}`, role, service, isRunning: true })
    }
    await Promise.all(processes.map(becomesReady))
  } catch (error) {
    await Promise.allSettled(starts)
    for (const service of started) await service.end('SIGKILL')
    await balancer.stop()
    throw error
  }
  return {
    url: balancer.url,
    balancer,
    processes,
    kill: async (process) => {
      Object.assign(process, { isRunning: false })
      await process.service.end('SIGKILL')
    },
    startAgain: async (process) => {
      Object.assign(process, { service: await start(process.role), isRunning: true })
      await becomesReady(process)
    },
    end: () => Promise.all(processes.map(({ service }) => service.end('SIGTERM'))),
    close: async () => {
      await balancer.stop()
      for (const service of started) await service.end('SIGKILL')
    },
  }
}
