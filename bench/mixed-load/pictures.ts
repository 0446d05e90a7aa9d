import type { Chart, Line } from './chart.ts'
import type { Sample } from './sampling.ts'

/** The picture of a measure, by the end of its file name. */
export type Pictures = Record<string, Chart>

const line = (name: string, samples: readonly Sample[], read: (sample: Sample) => number): Line => ({
  name,
  points: samples.map((sample) => [sample.seconds / 60, read(sample)] as const),
})

/** A line for each process. */
const ofProcesses = (
  samples: readonly Sample[],
  suffix: string,
  read: (one: Sample['processes'][number]) => number | null,
) =>
  (samples[0]?.processes ?? [])
    .map(({ name }, index) =>
      line(`${name}${suffix}`, samples, ({ processes }) => read(processes[index]!) ?? Number.NaN),
    )
    .filter(({ points }) => points.some(([, y]) => !Number.isNaN(y)))

const shownGroups = 8

/** A line for each of the greatest groups of tables. */
function ofTables(samples: readonly Sample[], read: (group: Sample['database']['tables'][string]) => number): Line[] {
  const last = samples.at(-1)?.database.tables ?? {}
  return Object.entries(last)
    .sort(([, one], [, other]) => read(other) - read(one))
    .slice(0, shownGroups)
    .map(([name]) =>
      line(name, samples, ({ database }) => {
        const group = database.tables[name]
        return group === undefined ? Number.NaN : read(group)
      }),
    )
}

/** The pictures of a run. */
export function picturesOf(samples: readonly Sample[]): Pictures {
  // The first interval is empty: the load has just begun.
  const loaded = samples.slice(1)
  return {
    memory: {
      title: 'Memory of each process',
      unit: 'megabytes',
      lines: [
        ...ofProcesses(samples, '', ({ residentMb }) => residentMb),
        ...ofProcesses(samples, ', heap', ({ heapMb }) => heapMb),
      ],
    },
    handles: {
      title: 'Open files, sockets included',
      unit: 'handles',
      // Postgres has ten times as many, which are in the table: only services have a data directory here.
      lines: [
        ...ofProcesses(samples, '', ({ files, dataDirMb }) => (dataDirMb === null ? null : files)),
        ...ofProcesses(samples, ', sockets', ({ sockets, dataDirMb }) => (dataDirMb === null ? null : sockets)),
      ],
    },
    disk: {
      title: 'Data directories of the services',
      unit: 'megabytes',
      lines: ofProcesses(samples, '', ({ dataDirMb }) => dataDirMb),
    },
    tables: {
      title: 'Tables with their indexes',
      unit: 'megabytes',
      lines: ofTables(samples, ({ totalMb }) => totalMb),
    },
    indexes: { title: 'Indexes alone', unit: 'megabytes', lines: ofTables(samples, ({ indexMb }) => indexMb) },
    dead: { title: 'Dead rows', unit: 'rows', lines: ofTables(samples, ({ deadRows }) => deadRows) },
    backlogs: {
      title: 'Work that waits in the background',
      unit: 'rows',
      lines: [
        line('to place in wishes', samples, ({ database }) => database.unplaced),
        line('texts to count', samples, ({ database }) => database.uncounted),
        line('deltas to fold', samples, ({ database }) => database.deltas),
        line('open tasks', samples, ({ database }) => database.openTasks),
        line('log of changes', samples, ({ database }) => database.changes),
      ],
    },
    ages: {
      title: 'Age of the oldest that waits',
      unit: 'seconds',
      lines: [
        line('change in the outbox', samples, ({ database }) => database.outboxSeconds ?? Number.NaN),
        line('message of the queue', samples, ({ backlog }) => backlog.queueSeconds),
      ].filter(({ points }) => points.some(([, y]) => !Number.isNaN(y))),
    },
    latency: {
      title: 'Latency from the intended start',
      unit: 'milliseconds',
      lines: [line('p50', loaded, ({ calls }) => calls.p50), line('p99', loaded, ({ calls }) => calls.p99)],
    },
  }
}
