import { setTimeout as sleep } from 'node:timers/promises'
import type { Observation } from './catalogue.ts'

/** A part of the metrics read from the database. */
export interface Collector {
  name: string
  /** How long a reading is reused, in ms, however many scrapes there are. */
  maxAgeMs: number
  /** Uses short statements; should take milliseconds. */
  read(): Promise<Observation[]>
}

interface CollectorsOptions {
  collectors: readonly Collector[]
  /** Called on the first failure, and on each after a success. */
  onFailure: (error: unknown, collector: string) => void
  waitMs?: number
  /** A monotonic clock in ms. */
  now?: () => number
}

/** How long overdue numbers are still shown: an old number that looks new would hide problems. */
const graceMs = 60_000
const defaultWaitMs = 2_000

interface State {
  collector: Collector
  running: Promise<void> | null
  observations: Observation[]
  readAt: number
  begunAt: number
  isUp: boolean
  wasReported: boolean
}

/** Starts a reading; it never rejects. */
function begin(state: State, now: () => number, onFailure: CollectorsOptions['onFailure']): Promise<void> {
  const { collector } = state
  state.begunAt = now()
  const reading = (async () => {
    try {
      state.observations = await collector.read()
      state.readAt = now()
      state.isUp = true
      state.wasReported = false
    } catch (error) {
      state.isUp = false
      if (!state.wasReported) onFailure(error, collector.name)
      state.wasReported = true
    } finally {
      state.running = null
    }
  })()
  state.running = reading
  return reading
}

/** Reads at most once per `maxAgeMs`; scrapes wait at most `waitMs`, then show old numbers. Never throws. */
export function createCollectors(options: CollectorsOptions): () => Promise<Observation[]> {
  const { collectors, onFailure, waitMs = defaultWaitMs, now = () => performance.now() } = options
  const never = Number.NEGATIVE_INFINITY
  const states = collectors.map((collector): State => {
    const times = { readAt: never, begunAt: never }
    return { collector, running: null, observations: [], ...times, isUp: false, wasReported: false }
  })
  return async () => {
    const due = states.filter(({ running, begunAt, collector }) => !running && now() - begunAt >= collector.maxAgeMs)
    for (const state of due) begin(state, now, onFailure)
    const late = new AbortController()
    const timeLimit = sleep(waitMs, undefined, { signal: late.signal }).catch(() => {})
    await Promise.race([Promise.all(states.map(({ running }) => running)), timeLimit])
    late.abort()
    return states.flatMap(({ collector, observations, readAt, begunAt, running, isUp }) => {
      const isCurrent = now() - readAt < collector.maxAgeMs + graceMs
      // A reading slower than a scrape's patience is no sign of health.
      const isLate = running !== null && now() - begunAt >= waitMs
      const up: Observation = {
        name: 'wishwell_collector_up',
        value: isUp && !isLate ? 1 : 0,
        labels: { collector: collector.name },
      }
      return [up, ...(isCurrent ? observations : [])]
    })
  }
}
