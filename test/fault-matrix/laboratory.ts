import type { LookupFunction } from 'node:net'
import { pino } from 'pino'
import { vi } from 'vitest'
import { platformFacts } from '../../simulator/platform-facts-testing.ts'
import { type SimulatedPlatformName, simulatedPlatformNames } from '../../simulator/platforms/index.ts'
import { type PlatformSimulator, startPlatformSimulator } from '../../simulator/simulator.ts'
import type { ClientTimeouts } from '../../src/platforms/client/messages.ts'
import type { Clock } from '../../src/runtime/clock.ts'
import { startTestService, type TestService } from '../service.ts'

/** Part of every record, query and body: a log or message that contains a piece of one contains it. */
export const topic = 'quokka wallet'
/** Only ends what hangs: a job of all platforms takes 2 s, and a minute on a machine that is busy with other work. */
export const maxJobMs = 120_000
/** More pages than any platform has. */
const depth = 40
const rests: Partial<ClientTimeouts> = { retryMs: 1, cooldownMs: 20 }
/** Windows of a minute end at once; a wait that a header announces is at least a second. */
const timeScale = 600

export interface TaskReport {
  state: string
  code: string | null
  message: string
  pages: number
  /** Ids of the requests that were stored. */
  stored: string[]
}

export interface JobReport {
  tasks: Record<SimulatedPlatformName, TaskReport>
  creditsUsed: number
  durationMs: number
}

/** The real clock, which tests can put forward past the pause of a failing platform. */
export interface JumpingClock extends Clock {
  jump(ms: number): void
}

export function jumpingClock(): JumpingClock {
  let aheadMs = 0
  return {
    now: () => new Date(Date.now() + aheadMs),
    jump: (ms) => {
      aheadMs += ms
    },
  }
}

/** The whole service in front of all simulated platforms, with everything that it logs. */
export interface Laboratory {
  simulator: PlatformSimulator
  service: TestService
  clock: JumpingClock
  /** What was logged since the service began. */
  logText(): string
  /** What must be in no log and no message: credentials as they were configured and as they were sent. */
  secrets(): string[]
  /** Runs a job on all platforms to its end, and says what became of it. */
  runJob(): Promise<JobReport>
  /** Empties the database; the memory of the platforms in the process stays. */
  reset(): Promise<void>
  stop(): Promise<void>
}

const credentials = { GITHUB_TOKEN: 'ghp-of-the-matrix', STACKEXCHANGE_API_KEY: 'key-of-the-matrix' }

export interface LaboratoryOptions {
  /** What to change of the simulator's environment, such as to an address that does not exist. */
  configure?: (environment: Record<string, string>) => Record<string, string>
  /** Records of a topic on each platform. */
  size?: number
  timeouts?: Partial<ClientTimeouts>
  /** Resolves the names of the platforms. */
  resolver?: LookupFunction
}

export async function startLaboratory(options: LaboratoryOptions = {}): Promise<Laboratory> {
  // A test runs two jobs at most.
  vi.setConfig({ testTimeout: 2 * maxJobMs, hookTimeout: 2 * maxJobMs })
  const { configure = () => ({}), size, timeouts = {}, resolver } = options
  const clock = jumpingClock()
  const sizes = Object.fromEntries(
    simulatedPlatformNames.map((name) => [name, size ?? platformFacts[name].severalPages]),
  )
  const simulator = await startPlatformSimulator({ limits: 'none', clock, timeScale, size: sizes })
  const lines: string[] = []
  const configured = { ...simulator.environment, ...credentials, ...configure(simulator.environment) }
  const service = await startTestService({
    environment: { ...configured, PLATFORMS: simulatedPlatformNames.join(',') },
    clock,
    platformTimeScale: timeScale,
    platformTimeouts: { ...rests, ...timeouts },
    ...(resolver ? { platformResolver: resolver } : {}),
    log: pino({ level: 'debug' }, { write: (line) => lines.push(line) }),
  })
  return {
    simulator,
    service,
    clock,
    logText: () => lines.join(''),
    secrets: () => [...configuredSecrets(configured), ...sentSecrets(simulator)],
    runJob: () => runJob(service),
    reset: async () => {
      simulator.clearFaults()
      simulator.requests.length = 0
      await service.reset()
    },
    stop: async () => {
      await service.stop()
      await simulator.stop()
    },
  }
}

function configuredSecrets(environment: Record<string, string>): string[] {
  const isSecret = (name: string) => /_(TOKEN|KEY|SECRET|PASSWORD)$/.test(name)
  return Object.keys(environment).flatMap((name) => (isSecret(name) ? environment[name]! : []))
}

function sentSecrets({ requests }: PlatformSimulator): string[] {
  const sent = requests.flatMap(({ headers }) => headers.authorization?.split(' ').at(-1) ?? [])
  return [...new Set(sent)]
}

async function runJob({ client, database }: TestService): Promise<JobReport> {
  const begun = performance.now()
  const { body } = await client.scrape({ topic, depth, platforms: simulatedPlatformNames })
  const job = await client.waitForJob(body.data.jobId, maxJobMs)
  const durationMs = performance.now() - begun
  const tasks = await database.selectFrom('scrape_tasks').selectAll().execute()
  const requests = await database.selectFrom('requests').select(['platform', 'source_id']).execute()
  const reports = tasks.map((task) => [
    task.platform,
    {
      state: task.state,
      code: task.error_code,
      pages: task.pages,
      message: job.errors?.find(({ platform }: { platform: string }) => platform === task.platform)?.message ?? '',
      stored: requests.flatMap(({ platform, source_id }) => (platform === task.platform ? source_id : [])).sort(),
    },
  ])
  const { used } = (await client.search('anything')).body.usage.credits
  return { tasks: Object.fromEntries(reports), creditsUsed: used, durationMs }
}
