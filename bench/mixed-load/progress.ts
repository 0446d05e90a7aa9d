import { SingleBar } from 'cli-progress'
import type { Sample } from './sampling.ts'

/** Samples between two lines where there is no terminal: a minute. */
const samplesOfLine = 12

export interface Progress {
  note(text: string): void
  /** @param share of the load that is over, 0 to 1 */
  sample(sample: Sample, share: number): void
  stop(): void
}

const describe = ({ calls, processes, database }: Sample) =>
  [
    `p50 ${calls.p50.toFixed(0)} ms, p99 ${calls.p99.toFixed(0)} ms`,
    `${processes.map(({ residentMb }) => residentMb.toFixed(0)).join(' + ')} MB`,
    `${database.requests} requests`,
    `${database.unplaced} to place`,
    `${database.openTasks} tasks`,
  ].join(', ')

/** On stderr: a bar on a terminal, elsewhere a line a minute. */
export function createProgress(): Progress {
  const bar = process.stderr.isTTY
    ? new SingleBar({ stream: process.stderr, format: '{bar} {percentage}%  {text}', hideCursor: true })
    : null
  let samples = 0
  const note = (text: string) => void process.stderr.write(`${text}\n`)
  return {
    note,
    sample: (sample, share) => {
      const text = describe(sample)
      if (bar === null) {
        if (samples++ % samplesOfLine === 0) note(`${(sample.seconds / 60).toFixed(1)} min: ${text}`)
      } else {
        if (!bar.isActive) bar.start(1, 0, { text })
        bar.update(Math.min(1, share), { text })
      }
    },
    stop: () => bar?.stop(),
  }
}
