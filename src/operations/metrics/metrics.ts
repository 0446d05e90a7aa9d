import type { GaugeMetricData, SumMetricData } from '@opentelemetry/sdk-metrics'
import { catalogue, durations, type Observation, type ObservedName } from './catalogue.ts'
import type { Recorder } from './recorded-parts.ts'

/** The metrics of a process, on OpenTelemetry's SDK. */
export interface Metrics extends Recorder {
  /** All series in Prometheus' text format. @param observations the numbers read for it */
  expose(observations: readonly Observation[]): Promise<string>
  failures(): number
}

/** The parts of the SDK, loaded on demand. */
const loadSdk = async () => {
  const [{ ValueType }, sdk, prometheus] = await Promise.all([
    import('@opentelemetry/api'),
    import('@opentelemetry/sdk-metrics'),
    import('@opentelemetry/exporter-prometheus'),
  ])
  return { ValueType, ...sdk, ...prometheus }
}
type Sdk = Awaited<ReturnType<typeof loadSdk>>

/** Calls `work`; passes the first error per name to `onFailure` instead of throwing. */
function createGuard(onFailure: (error: unknown, name: string) => void) {
  const reported = new Set<string>()
  let failures = 0
  return {
    failures: () => failures,
    run: (name: string, work: () => void) => {
      try {
        work()
      } catch (error) {
        failures++
        if (reported.has(name)) return
        reported.add(name)
        onFailure(error, name)
      }
    },
  }
}

/** Observations in the SDK's form. Its observable instruments would repeat values that were not read this time. */
function toMetricData(sdk: Sdk, observations: readonly Observation[]): (GaugeMetricData | SumMetricData)[] {
  const { AggregationTemporality, DataPointType, ValueType } = sdk
  const readable = observations.filter(({ value }) => Number.isFinite(value))
  return [...Map.groupBy(readable, ({ name }) => name)].map(([name, group]) => {
    const { help, kind } = catalogue[name as ObservedName]
    const common = {
      descriptor: { name, description: help, unit: '', valueType: ValueType.DOUBLE, advice: {} },
      aggregationTemporality: AggregationTemporality.CUMULATIVE,
      dataPoints: group.map(({ value, labels }) => ({
        value,
        attributes: labels,
        startTime: [0, 0] as [number, number],
        endTime: [0, 0] as [number, number],
      })),
    }
    return kind === 'total'
      ? { ...common, dataPointType: DataPointType.SUM, isMonotonic: true }
      : { ...common, dataPointType: DataPointType.GAUGE }
  }) as (GaugeMetricData | SumMetricData)[]
}

function createInstruments(sdk: Sdk, reader: InstanceType<Sdk['PrometheusExporter']>) {
  const meter = new sdk.MeterProvider({ readers: [reader] }).getMeter('wishwell')
  const histograms = new Map<string, ReturnType<typeof meter.createHistogram>>()
  const counters = new Map<string, ReturnType<typeof meter.createCounter>>()
  for (const [name, series] of Object.entries(catalogue)) {
    const description = series.help
    if (series.kind === 'counter') counters.set(name, meter.createCounter(name, { description }))
    if (series.kind !== 'histogram') continue
    const advice = { explicitBucketBoundaries: [...durations] }
    histograms.set(name, meter.createHistogram(name, { description, advice }))
  }
  return { histograms, counters }
}

/** Loads the SDK on demand, so that only services with metrics pay. @param onFailure on a series' first failure */
export async function createMetrics(onFailure: (error: unknown, series: string) => void): Promise<Metrics> {
  const sdk = await loadSdk()
  // It only collects; the service's routes answer.
  const reader = new sdk.PrometheusExporter({ preventServerStart: true })
  const serializer = new sdk.PrometheusSerializer(undefined, false, undefined, true, true)
  const { histograms, counters } = createInstruments(sdk, reader)
  const guard = createGuard(onFailure)
  return {
    record: (name, seconds, labels) => guard.run(name, () => histograms.get(name)!.record(seconds, labels)),
    count: (name, labels) => guard.run(name, () => counters.get(name)!.add(1, labels)),
    failures: guard.failures,
    expose: async (observations) => {
      const { resourceMetrics } = await reader.collect()
      const read = { scope: { name: 'wishwell' }, metrics: toMetricData(sdk, observations) }
      return serializer.serialize({ ...resourceMetrics, scopeMetrics: [...resourceMetrics.scopeMetrics, read] })
    },
  }
}
