import type { CounterName, HistogramName, LabelsOf } from './catalogue.ts'

/** Where the parts of the service record what happens. No method throws, and none waits. */
export interface Recorder {
  /** @param seconds how long it took. */
  record<Name extends HistogramName>(name: Name, seconds: number, labels: LabelsOf<Name>): void
  count<Name extends CounterName>(name: Name, labels: LabelsOf<Name>): void
}

export const secondsSince = (startedAt: number): number => (performance.now() - startedAt) / 1_000
