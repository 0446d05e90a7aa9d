import { type Setup, setups } from '../growth/estimate.ts'
import type { Results, SearchFigures, SetupResult, Speed } from './results.ts'

// The tables of bench/setups.ts. bench/growth/figures.json names their rows and columns.

/** How far the quality of a setup may be from that of the embedded service, and how late a stored request may be found. */
const goals = { ndcg: 0.01, visibleMs: 2_000 }
/** The setups with the ranking of the embedded service and an index that follows the database. */
const withGoals: readonly Setup[] = ['local', 'openSearch']

type Line = readonly string[]
const table = (header: Line, lines: readonly Line[]) =>
  [header, header.map(() => '---'), ...lines].map((cells) => `| ${cells.join(' | ')} |`).join('\n')

const ms = (time: number) => (time < 10 ? time.toFixed(1) : time.toFixed(0))
const cpu = (time: number | null) => (time === null ? '–' : time.toFixed(2))
const count = (number: number) => Math.round(number).toLocaleString('en')
const megabytes = (bytes: number) => `${count(bytes / 1e6)} MB`
const share = (score: number | undefined) => (score === undefined ? '–' : score.toFixed(3).replace(/^0/, ''))

const cellsOf = ({ p50Ms, p99Ms, perSecond }: Speed) => [ms(p50Ms), ms(p99Ms), count(perSecond)]

function searchLine({ setup, overlap }: SetupResult, of: SearchFigures, embedded: SearchFigures | undefined): Line {
  const { query, one, eight, processors } = of
  const ratio = embedded === undefined ? '–' : (one.p50Ms / embedded.one.p50Ms).toFixed(2)
  const processorCells = [processors.service, processors.postgres, processors.openSearch].map(cpu)
  const best = overlap?.[query]
  return [
    setups[setup],
    query,
    ...cellsOf(one),
    ...cellsOf(eight),
    ratio,
    best === undefined ? '–' : best.toFixed(2),
    ...processorCells,
  ]
}

const searchHeader = [
  'setup',
  'query',
  'p50 ms',
  'p99 ms',
  'a second',
  '8 clients: p50 ms',
  'p99 ms of 8',
  'a second, 8 clients',
  'p50 of embedded',
  'overlap@10',
  'CPU ms of the service',
  'CPU ms of Postgres',
  'CPU ms of OpenSearch',
]

/** The setups beside each other, query by query. */
function searchTable({ setups: measured }: Results): string {
  const embedded = measured.find(({ setup }) => setup === 'embedded')
  const queries = [...new Set(measured.flatMap(({ searches }) => searches.map(({ query }) => query)))]
  const of = (result: SetupResult | undefined, query: string) => result?.searches.find((one) => one.query === query)
  const lines = queries.flatMap((query) =>
    measured.flatMap((result) => {
      const figures = of(result, query)
      return figures === undefined ? [] : [searchLine(result, figures, of(embedded, query))]
    }),
  )
  return table(searchHeader, lines)
}

const buildTable = ({ size, setups: measured }: Results): string =>
  table(
    ['setup', 'index built in s', 'requests a second', 'CPU s', 'index', 'bytes a request'],
    measured.flatMap(({ setup, build }) =>
      build === null
        ? []
        : [
            [
              setups[setup],
              count(build.seconds),
              count(size / build.seconds),
              build.cpuSeconds.toFixed(0),
              megabytes(build.bytes),
              count(build.bytes / size),
            ],
          ],
    ),
  )

function sizeTable({ size, sizes, loaded }: Results): string {
  const line = (what: string, bytes: number) => [what, megabytes(bytes), count(bytes / size)]
  const stored = ({ seconds, from }: Results['loaded']['embedded']) =>
    `${count(seconds)} s${from > 0 ? ` from ${count(from)} on` : ''}`
  return [
    table(
      ['on disk', 'size', 'bytes of each'],
      [
        line('embedded database', sizes.embedded),
        line('BM25 index in it', sizes.embeddedIndex),
        line('Postgres without the indexes of its search engines', sizes.postgres),
        line('narrow copies that searches read', sizes.copies),
      ],
    ),
    `Stored in ${stored(loaded.embedded)} (embedded) and ${stored(loaded.postgres)} (Postgres).`,
  ].join('\n\n')
}

const visibilityTable = ({ setups: measured }: Results): string =>
  table(
    ['setup', 'stored otherwise, a second', 'rounds', 'found after: p50 ms', 'max ms', 'found by the database'],
    measured.flatMap(({ setup, visibility }) =>
      visibility.map(({ otherwiseStored, rounds, p50Ms, maxMs, byDatabase }) => [
        setups[setup],
        count(otherwiseStored),
        String(rounds),
        ms(p50Ms),
        ms(maxMs),
        String(byDatabase),
      ]),
    ),
  )

function qualityTable({ setups: measured }: Results): string {
  const names = [...new Set(measured.flatMap(({ quality }) => Object.keys(quality)))]
  return table(
    ['nDCG@10', ...names],
    measured.map(({ setup, quality }) => [setups[setup], ...names.map((name) => share(quality[name]))]),
  )
}

/** The section of docs/benchmarks.md. */
export function reportOf(results: Results): string {
  const { when, cores, model, size, setups: measured, skipped } = results
  const hasQuality = measured.some(({ quality }) => Object.keys(quality).length > 0)
  return [
    `Measured ${when} on ${cores} cores (${model}).`,
    `### ${size.toLocaleString('en')} documents`,
    searchTable(results),
    buildTable(results),
    sizeTable(results),
    ...(measured.some(({ visibility }) => visibility.length > 0) ? [visibilityTable(results)] : []),
    ...(hasQuality ? [qualityTable(results)] : []),
    ...(skipped.length > 0 ? [skipped.map((reason) => `- Skipped: ${reason}.`).join('\n')] : []),
  ].join('\n\n')
}

/** What is not as it must be. */
export function missedGoals({ setups: measured }: Results): string[] {
  const embedded = measured.find(({ setup }) => setup === 'embedded')?.quality ?? {}
  return measured
    .filter(({ setup }) => withGoals.includes(setup))
    .flatMap(({ setup, quality, visibility }) => [
      ...Object.entries(quality)
        .filter(([name, score]) => Math.abs(score - (embedded[name] ?? score)) > goals.ndcg)
        .map(
          ([name, score]) =>
            `${setups[setup]}: nDCG@10 of ${name} is ${share(score)}, embedded ${share(embedded[name])}`,
        ),
      ...visibility
        .filter(({ maxMs }) => maxMs > goals.visibleMs)
        .map(({ maxMs }) => `${setups[setup]}: a stored request was found after ${ms(maxMs)} ms`),
    ])
}
