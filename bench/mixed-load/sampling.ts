import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Callers, Interval } from './callers.ts'
import type { DatabaseState } from './database-state.ts'
import { type ProcessState, readProcess, readServer } from './process-state.ts'
import type { ServiceProcess, Stack } from './stack.ts'

// One sample: what the kernel, the database and /metrics say at a moment, and the calls since the sample before.

/** What waits, as /metrics shows it: read from the database at most 10 s before. */
export interface Backlog {
  queued: number
  queueSeconds: number
}

export interface SampledProcess extends ProcessState {
  name: string
  /** Used by JavaScript objects of the main thread; null for Postgres. */
  heapMb: number | null
  /** Seconds of the processor so far; null for Postgres. */
  cpuSeconds: number | null
  dataDirMb: number | null
}

export interface Sample {
  /** Since the beginning of the load. */
  seconds: number
  processes: SampledProcess[]
  backlog: Backlog
  database: DatabaseState
  calls: Interval
}

type Series = { name: string; labels: string; value: number }

/** The lines of the text format of Prometheus. */
const parseMetrics = (text: string): Series[] =>
  [...text.matchAll(/^(\w+)(?:\{([^}]*)\})? (\S+)/gm)].map(([, name = '', labels = '', value]) => ({
    name,
    labels,
    value: Number(value),
  }))

async function readMetrics(url: string, adminKey: string): Promise<Series[]> {
  const response = await fetch(`${url}/metrics`, { headers: { authorization: `Bearer ${adminKey}` } })
  const text = await response.text()
  if (response.status !== 200) throw new Error(`/metrics: ${response.status} ${text}`)
  return parseMetrics(text)
}

/** The greatest value of a series over labels and processes; NaN where no process has it, as before its first reading. */
function greatest(all: readonly Series[], name: string): number {
  const values = all.filter((series) => series.name === name).map(({ value }) => value)
  return values.length === 0 ? Number.NaN : Math.max(...values)
}

function directoryMb(directory: string): number {
  let bytes = 0
  for (const entry of readdirSync(directory, { withFileTypes: true, recursive: true })) {
    try {
      if (entry.isFile()) bytes += statSync(join(entry.parentPath, entry.name)).size
    } catch {
      // It was deleted meanwhile.
    }
  }
  return bytes / 1024 / 1024
}

function sampleProcess({ name, processId, dataDir }: ServiceProcess, metrics: readonly Series[]): SampledProcess {
  const heap = metrics.find((series) => series.name === 'wishwell_memory_bytes' && series.labels.includes('"heap"'))
  return {
    ...readProcess(processId),
    name,
    heapMb: (heap?.value ?? Number.NaN) / 1024 / 1024,
    cpuSeconds: greatest(metrics, 'process_cpu_seconds_total'),
    dataDirMb: directoryMb(dataDir),
  }
}

/** What is there besides the calls. */
export async function readState({
  processes,
  postgresId,
  adminKey,
}: Stack): Promise<Omit<Sample, 'seconds' | 'calls'>> {
  const [database, ...metrics] = await Promise.all([
    processes[0]!.readDatabase(),
    ...processes.map(({ url }) => readMetrics(url, adminKey)),
  ])
  const sampled = processes.map((one, index) => sampleProcess(one, metrics[index] ?? []))
  if (postgresId !== null) {
    const server = { name: 'Postgres', heapMb: null, cpuSeconds: null, dataDirMb: null }
    sampled.push({ ...readServer(postgresId), ...server })
  }
  const all = metrics.flat()
  const backlog = {
    queued: greatest(all, 'wishwell_queue_messages'),
    queueSeconds: greatest(all, 'wishwell_queue_oldest_seconds'),
  }
  return { processes: sampled, backlog, database }
}

const sampleMs = 5_000
/** The votes on the platforms change as often. */
const samplesBetweenVotes = 6

/** Samples every 5 s until it is stopped. @param onSample called with each */
export function startSampling(stack: Stack, callers: Callers, onSample: (sample: Sample) => void) {
  const samples: Sample[] = []
  const startedAt = performance.now()
  let timer: NodeJS.Timeout | undefined
  let running = Promise.resolve()
  const sample = async () => {
    const seconds = (performance.now() - startedAt) / 1_000
    const one = { seconds, calls: callers.take(), ...(await readState(stack)) }
    samples.push(one)
    onSample(one)
    await stack.forgetPlatformCalls()
    if (samples.length % samplesBetweenVotes === 0) stack.bumpVotes()
  }
  const failures: unknown[] = []
  const next = () => {
    const wait = Math.max(
      0,
      startedAt + Math.ceil((performance.now() - startedAt + 1) / sampleMs) * sampleMs - performance.now(),
    )
    timer = setTimeout(() => {
      running = sample().then(next, (error: unknown) => {
        failures.push(error)
        next()
      })
    }, wait)
  }
  running = sample().then(next)
  return async (): Promise<Sample[]> => {
    clearTimeout(timer)
    await running
    clearTimeout(timer)
    if (failures.length > 0) throw new Error(`${failures.length} samples failed`, { cause: failures[0] })
    return samples
  }
}
