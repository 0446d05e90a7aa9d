import { type Options, Presets, SingleBar } from 'cli-progress'

/** Shows what a bench does: a bar on a terminal, otherwise a line for each step and each quarter of it. */
export interface Progress {
  /** Begins a step, and ends the one before. @param total how often `advance` will be called. */
  step(name: string, total: number): void
  advance(): void
  note(text: string): void
  stop(): void
}

type Stream = NodeJS.WritableStream & { isTTY?: boolean }

const options: Options = { format: '{bar} {percentage}% | {duration_formatted} | {name}', hideCursor: true }

function createBar(stream: Stream): Progress {
  let bar: SingleBar | null = null
  let present: [name: string, total: number, done: number] = ['', 0, 0]
  const begin = () => {
    const [name, total, done] = present
    bar = new SingleBar({ ...options, stream }, Presets.shades_classic)
    bar.start(total, done, { name })
  }
  return {
    step: (name, total) => {
      bar?.stop()
      present = [name, total, 0]
      begin()
    },
    advance: () => {
      present[2]++
      bar?.increment()
    },
    note: (text) => {
      bar?.stop()
      stream.write(`${text}\n`)
      if (bar !== null) begin()
    },
    stop: () => bar?.stop(),
  }
}

function createLines(stream: Stream): Progress {
  let [name, total, done, since] = ['', 0, 0, 0]
  const print = (what: string) =>
    stream.write(`${name}: ${what}, ${((performance.now() - since) / 1_000).toFixed(0)} s\n`)
  const end = () => {
    if (name !== '') print(done < total ? `ended at ${done} of ${total}` : 'done')
    name = ''
  }
  return {
    step: (next, count) => {
      end()
      ;[name, total, done, since] = [next, count, 0, performance.now()]
    },
    advance: () => {
      done++
      const quarter = (count: number) => Math.floor((4 * count) / total)
      if (done < total && quarter(done) > quarter(done - 1)) print(`${done} of ${total}`)
    },
    note: (text) => void stream.write(`${text}\n`),
    stop: end,
  }
}

export const createProgress = (stream: Stream): Progress =>
  stream.isTTY === true ? createBar(stream) : createLines(stream)
