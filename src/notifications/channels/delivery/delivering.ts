import { sql } from 'kysely'
import type { OpenDatabase } from '../../../database/open.ts'
import { createBackgroundRun, wakeOn } from '../../../runtime/background-run.ts'
import type { MaintenanceJob } from '../../../runtime/maintenance.ts'
import { disableExpired } from '../store/states.ts'
import { type AttemptDependencies, attempt, claimsOf } from './attempt.ts'
import { type Claim, claimMessages } from './claims.ts'
import { fanOutEvents, type ReadersOfRequest } from './fan-out.ts'
import { createRecorder, type RecordDependencies, recordResults } from './record.ts'

/** Bounds concurrent work, so that slow work never blocks fast work. */
interface Lanes {
  free(): number
  /** Starts work in a fast place; if it turns out slow, it moves to a slow place, if one is free. */
  run(host: string, work: () => Promise<void>): void
  /** How many are in progress, by host. */
  underWay: ReadonlyMap<string, number>
  idle(): Promise<void>
}

interface LanesOptions {
  fast: number
  slow: number
  slowAfterMs: number
  onFree: () => void
}

function createLanes({ fast, slow, slowAfterMs, onFree }: LanesOptions): Lanes {
  const underWay = new Map<string, number>()
  const running = new Set<Promise<void>>()
  const usage = { fast: 0, slow: 0 }
  const count = (host: string, change: number) => {
    const total = (underWay.get(host) ?? 0) + change
    if (total === 0) underWay.delete(host)
    else underWay.set(host, total)
  }
  const begin = async (host: string, work: () => Promise<void>) => {
    let lane: 'fast' | 'slow' = 'fast'
    // Repeated, because all slow places may be taken.
    const timer = setInterval(() => {
      if (lane === 'slow' || usage.slow >= slow) return
      usage.fast -= 1
      usage.slow += 1
      lane = 'slow'
      clearInterval(timer)
      onFree()
    }, slowAfterMs)
    try {
      await work()
    } finally {
      clearInterval(timer)
      usage[lane] -= 1
      count(host, -1)
      onFree()
    }
  }
  return {
    free: () => fast - usage.fast,
    underWay,
    run: (host, work) => {
      usage.fast += 1
      count(host, 1)
      const one = begin(host, work).finally(() => running.delete(one))
      running.add(one)
    },
    idle: async () => {
      while (running.size > 0) await Promise.allSettled(running)
    },
  }
}

export interface DeliveringDependencies extends AttemptDependencies, Pick<RecordDependencies, 'recordVisit'> {
  listen: OpenDatabase['listen']
  log: AttemptDependencies['log'] & { warn(fields: object, message: string): void }
  readersOf: ReadersOfRequest
  random?: () => number
  /** Whether it starts by itself; else only by `run`. */
  isAutomatic: boolean
  limits?: Partial<DeliveringLimits>
}

/** The most concurrent deliveries of a process. */
export interface DeliveringLimits {
  fast: number
  slow: number
  slowAfterMs: number
  ofHost: number
}

const defaultLimits: DeliveringLimits = { fast: 128, slow: 512, slowAfterMs: 1_000, ofHost: 16 }

/** Delivers events to accounts in the background. */
export interface Delivering {
  /** Fans out and delivers everything due, and waits for it. */
  run(): Promise<void>
  job: MaintenanceJob
  /** Aborts attempts in progress; another process or the next start repeats them. */
  stop(): Promise<void>
}

/** Also in the notifying trigger (`database/schema/events.sql`). */
const channel = 'wishwell_events'
const settleMs = 50
/** Places freed at about the same time are filled by one claim. */
const gatherMs = 5
/** The shortest and longest wait for what is due next. */
const [minWaitMs, maxWaitMs] = [1_000, 15_000]

async function readWait({ database, clock }: DeliveringDependencies): Promise<number> {
  const { rows } = await sql<{
    due_at: Date | null
  }>`select min(due_at) as due_at from channels where due_at is not null`.execute(database)
  const due = rows[0]?.due_at ?? null
  if (due === null) return maxWaitMs
  return Math.min(maxWaitMs, Math.max(minWaitMs, due.getTime() - clock.now().getTime()))
}

/** Makes deliveries of the events that were noted. @param onDeliveries is called when there are new ones */
const createFanning = ({ database, clock, log, readersOf }: DeliveringDependencies, onDeliveries: () => void) =>
  createBackgroundRun({
    step: async () => {
      const { events, deliveries } = await fanOutEvents({ database, readersOf, now: clock.now() })
      if (deliveries > 0) onDeliveries()
      return events > 0
    },
    onError: (error) => log.error({ err: error }, 'events were not fanned out'),
  })

/** Starts telling accounts of events: whenever one was noted, and whenever a delivery is due. */
export async function startDelivering(dependencies: DeliveringDependencies): Promise<Delivering> {
  const { database, clock, log, listen, recordVisit, random = Math.random, isAutomatic } = dependencies
  const limits = { ...defaultLimits, ...dependencies.limits }
  const claimMs = claimsOf(dependencies.adapters)
  const stopping = new AbortController()
  const { signal } = stopping
  const lanes = createLanes({ ...limits, onFree: () => pumping.startSoon(gatherMs) })
  const record = createRecorder(async (results) => {
    for (const disabled of await recordResults({ database, random, recordVisit }, results)) {
      log.warn(disabled, 'a channel was disabled')
    }
  })
  const channelsUnderWay = new Set<string>()
  const deliver = async (claim: Claim) => {
    const result = await attempt(dependencies, claim, signal)
    if (result === null) return
    // Unrecorded results are resent by the next claim.
    await record(result).catch((error: unknown) =>
      log.error({ err: error, channel: claim.channelId }, 'a delivery was not recorded'),
    )
  }
  const claim = async (): Promise<boolean> => {
    const max = lanes.free()
    if (max <= 0 || signal.aborted) return false
    await disableExpired(database, clock.now())
    const input = {
      ...{ max, claimMs, channelsUnderWay, underWay: lanes.underWay },
      now: clock.now(),
      maxOfHost: limits.ofHost,
    }
    const claims = await claimMessages(database, input)
    for (const one of claims) {
      channelsUnderWay.add(one.channelId)
      lanes.run(one.host, () => deliver(one).finally(() => channelsUnderWay.delete(one.channelId)))
    }
    return claims.length > 0
  }
  const waitForDue = async () => {
    if (!isAutomatic) return
    pumping.startSoon(await readWait(dependencies))
  }
  const pumping = createBackgroundRun({
    step: async () => {
      const more = await claim()
      if (!more) await waitForDue()
      return more
    },
    onError: (error) => {
      log.error({ err: error }, 'claiming deliveries failed')
      if (isAutomatic) pumping.startSoon(maxWaitMs)
    },
  })
  const fanning = createFanning(dependencies, () => pumping.startSoon(0))
  const woken = isAutomatic ? await wakeOn(fanning, { listen, channel, delayMs: settleMs }) : fanning
  if (isAutomatic) pumping.startSoon(0)
  return {
    run: async () => {
      await fanning.run()
      for (let more = true; more && !signal.aborted; ) {
        await pumping.run()
        more = lanes.underWay.size > 0
        await lanes.idle()
        await fanning.run()
      }
    },
    job: async () => {
      await fanning.job()
      await pumping.job()
      return false
    },
    stop: async () => {
      stopping.abort()
      await Promise.all([woken.stop(), pumping.stop()])
      await lanes.idle()
    },
  }
}
