import { type Clock, systemClock } from '../src/runtime/clock.ts'
import { behavioursOf, type ChosenBehaviours } from './behaviour.ts'
import { type Corpus, createCorpus, type GivenRecord } from './corpus.ts'
import { type ExpectedRecord, expectRecords } from './expectation.ts'
import type { FaultName, FaultOptions } from './faults.ts'
import type { BreachRule } from './limits.ts'
import { namedEnvironment } from './named-pages.ts'
import type { SimulatedPlatform } from './platform-shape.ts'
import { type SimulatedPlatformName, simulatedPlatformNames, simulatedPlatforms } from './platforms/index.ts'
import { type LoggedRequest, startServer } from './server.ts'
import type { CustomLimit } from './simulated-replies.ts'
import { createSimulatedService, privatePath, type SimulatedService } from './simulated-service.ts'

type PerPlatform<Value> = Partial<Record<SimulatedPlatformName, Value>>

export interface SimulatorOptions {
  /** 0, the default, takes any free port. */
  port?: number
  /** A platform named here holds these records and generates none. */
  records?: PerPlatform<readonly GivenRecord[]>
  /** What all platforms hold, instead of generated records. */
  corpus?: Corpus
  seed?: number
  /** Generated records for each topic; 250 by default. */
  size?: number | PerPlatform<number>
  /** `real` by default. A platform that a custom choice leaves out has none. */
  limits?: 'real' | 'none' | PerPlatform<'real' | 'none' | CustomLimit>
  /** Makes windows and announced waits this many times shorter. */
  timeScale?: number
  latencyMs?: number
  clock?: Clock
  /** Any other token or key is refused; without it, any is accepted. */
  validTokens?: readonly string[]
  /** Lets `is:issue` find pull requests too, so that a client's own guard can be tested. */
  leakPullRequests?: boolean
  /** Lets `is:public` of GitHub and `confidential=false` of GitLab find what only members may see, for the same end. */
  leakPrivate?: boolean
  /** Gives each site a name of its own, under which people can read what it holds; see `named-pages.ts`. */
  hasNames?: boolean
  /** How it behaves where the real platforms are not known; see `behaviour.ts`. */
  behaviours?: ChosenBehaviours
}

export interface Breach {
  platform: SimulatedPlatformName
  rule: BreachRule
  at: Date
}

export interface PlatformSimulator {
  /** Base addresses for `GITHUB_API_URL` and its like. */
  readonly urls: Record<SimulatedPlatformName, string>
  /** Environment variables for a service that uses them all, credentials included. */
  readonly environment: Record<string, string>
  /** The received requests, oldest first; empty it with `requests.length = 0`. */
  readonly requests: LoggedRequest[]
  /** How often a client was impolite; `breachLog` says how. */
  readonly breaches: number
  readonly breachLog: Breach[]
  setFault(platform: SimulatedPlatformName, fault: FaultName, options?: FaultOptions): void
  clearFaults(platform?: SimulatedPlatformName): void
  /** Raises the votes of every record, as time does. */
  bumpVotes(by: number): void
  /**
   * What ought to be stored for a topic: every record that a client can page to, without pull requests.
   * @param searches the query parameters that the client sends, as often as it sends different ones; a plain search
   * for the topic unless given
   */
  expectedRecords(
    platform: SimulatedPlatformName,
    topic: string,
    ...searches: Record<string, string>[]
  ): ExpectedRecord[]
  stop(): Promise<void>
}

const defaultSize = 250

/**
 * Starts all simulated platforms on one port of the loopback interface.
 * @example
 * const simulator = await startPlatformSimulator({ limits: 'none' })
 * await fetch(`${simulator.urls.github}/search/issues?q=dark+mode+is:issue`)
 * await simulator.stop()
 */
export async function startPlatformSimulator(options: SimulatorOptions = {}): Promise<PlatformSimulator> {
  const { clock = systemClock, port = 0, latencyMs = 0, hasNames = false } = options
  const requests: LoggedRequest[] = []
  const breachLog: Breach[] = []
  const corpus = options.corpus ?? corpusFor(options)
  const services = new Map<string, SimulatedService>()
  const server = await startServer({ port, clock, latencyMs, services, requests, named: hasNames ? corpus : null })
  const urls = {} as Record<SimulatedPlatformName, string>
  const environment: Record<string, string> = {}
  for (const name of simulatedPlatformNames) {
    const platform: SimulatedPlatform = simulatedPlatforms[name]
    const baseUrl = `http://127.0.0.1:${server.port}/${name}`
    urls[name] = baseUrl
    Object.assign(environment, platform.environment(baseUrl))
    const service = createSimulatedService({
      ...{ platform, corpus, clock, baseUrl },
      timeScale: options.timeScale ?? 1,
      limit: limitOf(options, name),
      validTokens: options.validTokens ?? null,
      leakPullRequests: options.leakPullRequests ?? false,
      leakPrivate: options.leakPrivate ?? false,
      behaviours: behavioursOf(options.behaviours),
      // Another name for the same address: a client that compares origins sees that it is led away.
      privateUrl: `http://localhost:${server.port}/${name}${privatePath}`,
      onBreach: (rule) => breachLog.push({ platform: name, rule, at: clock.now() }),
    })
    services.set(name, service)
  }
  if (hasNames) Object.assign(environment, namedEnvironment(environment, server.port))
  return {
    urls,
    environment,
    requests,
    breachLog,
    get breaches() {
      return breachLog.length
    },
    setFault: (platform, fault, faultOptions) => services.get(platform)!.faults.set(fault, faultOptions),
    clearFaults: (platform) => {
      for (const name of platform ? [platform] : simulatedPlatformNames) services.get(name)!.clearFaults()
    },
    bumpVotes: corpus.bumpVotes,
    expectedRecords: (platform, topic, ...searches) => expectRecords(corpus, platform, topic, searches),
    stop: server.stop,
  }
}

/** What is chosen for a platform. */
const choiceOf = <Value>(choice: PerPlatform<Value>, name: string): Value | undefined =>
  choice[name as SimulatedPlatformName]

const corpusFor = ({ seed = 1, size = defaultSize, records = {} }: SimulatorOptions): Corpus =>
  createCorpus({
    seed,
    sizeOf: (platform) => (typeof size === 'number' ? size : (choiceOf(size, platform) ?? defaultSize)),
    given: (platform) => choiceOf(records, platform),
  })

const limitOf = ({ limits = 'real' }: SimulatorOptions, name: SimulatedPlatformName): 'real' | 'none' | CustomLimit =>
  typeof limits === 'string' ? limits : (limits[name] ?? 'none')
