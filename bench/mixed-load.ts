import { mkdirSync, writeFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { searchWords } from './memory-data.ts'
import { type CallTarget, createCallers } from './mixed-load/callers.ts'
import { createMix } from './mixed-load/calls.ts'
import { drain, measureCapacity } from './mixed-load/capacity.ts'
import { createProgress } from './mixed-load/progress.ts'
import { describeOutcome, drawPictures, type Outcome, summariseLatencies, writeReport } from './mixed-load/report.ts'
import { startSampling } from './mixed-load/sampling.ts'
import { type Stack, startStack } from './mixed-load/stack.ts'
import { judge } from './mixed-load/verdicts.ts'
import { loggedErrors, verify } from './mixed-load/verification.ts'
import { positive } from './options.ts'

// Does anything grow? Calls of every kind at half of the measured capacity for 20 minutes, with jobs that store new and changed requests in the
// background; memory, handles, tables, indexes and backlogs every 5 s. Linux only (/proc).
//   node bench/mixed-load.ts [--backend embedded|postgres] [--search database|local] [--processes 2] [--minutes 20] [--ramp-seconds 80]
//     [--requests 20000] [--accounts 200] [--seed 1] [--json] [--write]
// Exit code 1 when a call, a task or the verification failed, or an error was logged.

const { values } = parseArgs({
  options: {
    backend: { type: 'string', default: 'embedded' },
    search: { type: 'string', default: 'database' },
    processes: { type: 'string' },
    minutes: { type: 'string', default: '20' },
    'ramp-seconds': { type: 'string', default: '80' },
    requests: { type: 'string', default: '20000' },
    accounts: { type: 'string', default: '200' },
    seed: { type: 'string', default: '1' },
    json: { type: 'boolean', default: false },
    write: { type: 'boolean', default: false },
  },
})

function readOptions() {
  const { backend, search } = values
  if (backend !== 'embedded' && backend !== 'postgres') throw new Error('--backend is embedded or postgres')
  if (search !== 'database' && search !== 'local') throw new Error('--search is database or local')
  const processes = positive({ processes: values.processes ?? (backend === 'embedded' ? '1' : '2') }, 'processes')
  if (backend === 'embedded' && (processes !== 1 || search === 'local')) {
    throw new Error('the embedded database belongs to one process, and searches itself')
  }
  const [minutes, requests] = [positive(values, 'minutes'), positive(values, 'requests')]
  const [accounts, seed] = [positive(values, 'accounts'), positive(values, 'seed')]
  const rampSeconds = positive(values, 'ramp-seconds')
  const name = backend === 'embedded' ? 'embedded' : search === 'local' ? 'postgres-local' : 'postgres'
  const directory = fileURLToPath(new URL(`../.scratch/mixed-load/${name}`, import.meta.url))
  return { backend, search, processes, minutes, rampSeconds, requests, accounts, seed, name, directory } as const
}

const options = readOptions()
const progress = createProgress()

/** Half of the capacity for the whole time, sampled. */
async function runLoad(stack: Stack): Promise<Omit<Outcome, 'verify' | 'errors' | 'verdicts'>> {
  const { seed, minutes, rampSeconds, name, processes, backend, search } = options
  const urls = stack.processes.map(({ url }) => url)
  const target: CallTarget = { urls, adminKey: stack.adminKey, keys: stack.keys }
  const callers = createCallers(target, createMix(seed, searchWords()))
  try {
    const capacity = await measureCapacity(stack, callers, rampSeconds, progress.note)
    const perSecond = Math.max(...capacity.map((step) => step.perSecond)) / 2
    progress.note(`${perSecond.toFixed(1)} calls a second for ${minutes} minutes, seed ${seed}`)
    callers.take()
    callers.forget()
    const stopSampling = startSampling(stack, callers, (sample) =>
      progress.sample(sample, sample.seconds / (minutes * 60)),
    )
    const calls = await callers.openLoop(perSecond, minutes * 60, seed)
    const samples = await stopSampling()
    progress.stop()
    for (const [what, count] of callers.failures) failures[what] = count
    const [processor] = cpus()
    return {
      name,
      date: new Date().toISOString().slice(0, 10),
      processors: `${cpus().length} × ${processor?.model ?? 'unknown'}`,
      backend,
      search,
      processes,
      minutes,
      seed,
      capacity,
      perSecond,
      calls,
      latencies: summariseLatencies(callers.latencies),
      samples,
    }
  } finally {
    progress.stop()
    await callers.close()
  }
}

const failures: Record<string, number> = {}

async function run(): Promise<Outcome> {
  const stack = await startStack({ ...options, note: progress.note })
  try {
    progress.note('waiting for the background: wishes, words and indexes of what was stored')
    await drain(stack)
    const measured = await runLoad(stack)
    progress.note('the load is over; waiting for the background')
    await drain(stack).catch(({ message }: Error) => {
      failures[message] = 1
    })
    const { failedTasks } = await stack.processes[0]!.readDatabase()
    if (failedTasks > 0) failures['failed tasks'] = failedTasks
    const verification = await verify(stack)
    const errors = { ...failures, ...loggedErrors(stack) }
    return { ...measured, verdicts: judge(measured.samples), errors, verify: verification }
  } finally {
    await stack.stop()
  }
}

if (process.platform === 'linux') {
  const outcome = await run()
  mkdirSync(options.directory, { recursive: true })
  const file = `${options.directory}/${new Date().toISOString().replaceAll(/[:.]/g, '-')}.json`
  writeFileSync(file, JSON.stringify(outcome))
  if (values.write) writeReport(outcome)
  else drawPictures(outcome, options.directory)
  progress.note(`samples: ${file}`)
  console.log(values.json ? JSON.stringify(outcome) : describeOutcome(outcome))
  if (Object.keys(outcome.errors).length > 0 || !outcome.verify.isClean) process.exitCode = 1
} else console.log('skipped: memory and handles of another process are read from /proc, which only Linux has')
