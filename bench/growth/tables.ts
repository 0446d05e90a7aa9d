import { curveOf, msAt } from './curve.ts'
import { type Estimate, estimate, formulas, type Setup, setups } from './estimate.ts'
import { type Engine, figureOf, type Inputs, neededFigure, type Words, wordsOf } from './figures.ts'
import { breaksOf, exceededBy } from './limits.ts'

const table = (header: readonly string[], lines: readonly (readonly string[])[]) =>
  [header, header.map(() => '---'), ...lines].map((line) => `| ${line.join(' | ')} |`).join('\n')

/** Two digits of a number, since no more are known of an extrapolated one. */
export const about = (value: number): string => {
  if (value === 0) return '0'
  const unit = 10 ** (Math.floor(Math.log10(Math.abs(value))) - 1)
  const rounded = Math.round(value / unit) * unit
  return rounded.toLocaleString('en', { maximumFractionDigits: Math.max(0, Math.min(2, -Math.log10(unit))) })
}

/** 1,000,000 is 1M. */
export const count = (requests: number): string => {
  for (const [unit, name] of [
    [1e9, 'B'],
    [1e6, 'M'],
    [1e3, 'k'],
  ] as const) {
    if (requests >= unit) return `${about(requests / unit)}${name}`
  }
  return about(requests)
}

const setupNames = Object.keys(setups) as Setup[]
const processCounts = [1, 2, 4, 8, 16]

const sourceOf = ({ kind, when, machine, by }: Pick<Inputs['figures'][string], 'kind' | 'when' | 'machine' | 'by'>) => [
  kind === 'measured' ? `measured ${when}`.trim() : when === '' ? kind : `${kind}, ${when}`,
  machine,
  by,
]

/** The inputs, each with its source. */
const figureTable = ({ figures, searches }: Inputs): string =>
  table(
    ['name', 'figure', 'value', 'source', 'machine', 'by'],
    [
      ...Object.entries(figures).map(([name, figure]) => [
        `\`${name}\``,
        figure.what,
        figure.value === null ? '–' : `${figure.value.toLocaleString('en')} ${figure.unit}`,
        ...sourceOf(figure),
      ]),
      ...Object.entries(searches).map(([name, search]) => [
        `\`${name}\``,
        `a search of one; two; four common words: ${search.what}`,
        Object.values(search.points)
          .map((points) => points.map(([requests, ms]) => `${ms} ms (${count(requests)})`).join(', '))
          .join('; '),
        ...sourceOf(search),
      ]),
    ],
  )

const assumptionTable = ({ assumptions }: Inputs): string =>
  table(
    ['assumption', ''],
    Object.values(assumptions).map(({ what, value, unit }) => [`${value.toLocaleString('en')} ${unit}`, what]),
  )

/** ms of a search by words. What was measured is bold, the rest is extrapolated. */
function searchTable(inputs: Inputs): string {
  const sizes = [10_000, 100_000, ...inputs.sizes]
  const lines = (Object.keys(inputs.searches) as Engine[]).flatMap((engine) =>
    (Object.keys(wordsOf) as Words[]).map((words) => {
      const search = inputs.searches[engine]
      const curve = curveOf(search, words)
      const cells = sizes.map((size) => {
        const point = search.points[words].find(([requests]) => requests === size)
        return point ? `**${point[1]}**` : about(msAt(curve, size))
      })
      return [search.what, wordsOf[words], ...cells, curve.exponent.toFixed(2)]
    }),
  )
  return table(['ms of CPU', 'query', ...sizes.map(count), 'exponent'], lines)
}

const labelOf = ({ limits }: Inputs, name: string): string => limits[name]?.label ?? name

const lineOf = (inputs: Inputs, of: Estimate) => [
  setups[of.setup],
  about(of.diskGB),
  of.machineGB === 0 ? '–' : about(of.machineGB),
  about(of.processGB),
  of.nodes === 0 ? '–' : String(of.nodes),
  about(of.searchMs),
  about(of.searchesPerSecond),
  about(of.storedPerSecond),
  of.buildHours === null ? (of.setup === 'embedded' ? '–' : 'not measured') : about(of.buildHours),
  String(of.cores),
  about(of.costUsd),
  exceededBy(inputs, of)
    .map((name) => labelOf(inputs, name))
    .join(', ') || '–',
]

/** What each setup needs and does, a table a size. */
const sizeTables = (inputs: Inputs): string =>
  inputs.sizes
    .map((size) => {
      const lines = setupNames.map((setup) => lineOf(inputs, estimate(inputs, setup, size)))
      const header = [
        `${count(size)} requests`,
        'disk GB',
        'memory of Postgres GB',
        'of a process GB',
        'nodes',
        'search ms',
        'searches/s',
        'stored/s',
        'build h',
        'cores',
        'USD a month',
        'exceeds',
      ]
      return table(header, lines)
    })
    .join('\n\n')

/** Which limit a setup exceeds first. */
const breakTable = (inputs: Inputs): string =>
  table(
    ['setup', 'breaks first', 'then', 'then'],
    setupNames.map((setup) => {
      const breaks = breaksOf(inputs, setup).map(
        ({ limit, requests }) => `${labelOf(inputs, limit)}, at ${count(requests)}`,
      )
      return [setups[setup], ...Array.from({ length: 3 }, (_, index) => breaks[index] ?? '–')]
    }),
  )

const limitTable = ({ limits }: Inputs): string =>
  table(
    ['limit', 'it is exceeded when'],
    Object.values(limits).map(({ label, what }) => [label, what]),
  )

const cachedReads = (inputs: Inputs, processes: number): string => {
  const ofProcess = figureOf(inputs, 'cachedReads')
  const ms = figureOf(inputs, 'cachedReadMs')
  if (ofProcess === null || ms === null) return 'not measured'
  return about(Math.min(processes * ofProcess, ((inputs.assumptions.postgresCores?.value ?? 0) * 1_000) / ms))
}

/** What more processes add, with a million requests. */
function processTable(inputs: Inputs): string {
  const connections = (name: string, processes: number) => {
    const needed = processes * neededFigure(inputs, name)
    return needed > neededFigure(inputs, 'maxConnections') ? `${needed}, too many` : String(needed)
  }
  return table(
    [
      'processes',
      'searches/s: BM25',
      'tsvector',
      'local',
      'cached lists/s',
      'connections',
      'with the small pools',
      'behind PgBouncer',
    ],
    processCounts.map((processes) => [
      String(processes),
      ...(['bm25', 'tsvector', 'local'] as const).map((setup) =>
        about(estimate(inputs, setup, 1_000_000, processes).searchesPerSecond),
      ),
      cachedReads(inputs, processes),
      connections('poolConnections', processes),
      connections('smallPoolConnections', processes),
      connections('pooledConnections', processes),
    ]),
  )
}

/** The sections of docs/scaling.md that are computed. */
export const sectionsOf = (inputs: Inputs): Readonly<Record<string, string>> => ({
  'growth breaks': breakTable(inputs),
  'growth limits': limitTable(inputs),
  'growth sizes': sizeTables(inputs),
  'growth processes': processTable(inputs),
  'growth searches': searchTable(inputs),
  'growth formulas': formulas.map((formula) => `- ${formula}.`).join('\n'),
  'growth assumptions': assumptionTable(inputs),
  'growth figures': figureTable(inputs),
})
