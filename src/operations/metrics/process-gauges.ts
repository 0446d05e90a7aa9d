import { performance } from 'node:perf_hooks'
import type { Observation } from './catalogue.ts'

/** The use of processor, memory and event loop by this process. */
export function observeProcess(): Observation[] {
  const { user, system } = process.cpuUsage()
  const { rss, heapUsed, external, arrayBuffers } = process.memoryUsage()
  const memory = { resident: rss, heap: heapUsed, external, buffers: arrayBuffers }
  return [
    { name: 'process_cpu_seconds_total', value: (user + system) / 1e6, labels: {} },
    { name: 'process_start_time_seconds', value: performance.timeOrigin / 1_000, labels: {} },
    {
      name: 'wishwell_event_loop_active_seconds_total',
      value: performance.eventLoopUtilization().active / 1_000,
      labels: {},
    },
    ...Object.entries(memory).map(
      ([kind, value]): Observation => ({ name: 'wishwell_memory_bytes', value, labels: { kind } }),
    ),
  ]
}
