import { readFileSync } from 'node:fs'
import { readSection } from '../report.ts'

/** Where a figure comes from. Only `measured` ones are of a bench that wrote them into docs/benchmarks.md. */
export type Kind = 'measured' | 'review' | 'decision' | 'upper bound' | 'settings' | 'not measured'

interface Source {
  what: string
  kind: Kind
  when: string
  machine: string
  /** The command or document that has it. */
  by: string
}

/** What a table says of its numbers where that is not what the file says of the value that they replace. */
type SourceOfTable = Partial<Pick<Source, 'machine' | 'by'>>

/** A cell of a table that another bench writes into docs/benchmarks.md. It replaces the value when it is there. */
interface Cell extends SourceOfTable {
  section: string
  heading: string | null
  /** The first columns of the row. */
  row: readonly string[]
  column: string
}

export interface Figure extends Source {
  value: number | null
  unit: string
  table?: Cell
}

export type Words = 'one' | 'two' | 'four'
export const wordsOf: Readonly<Record<Words, string>> = {
  one: 'one common word',
  two: 'two common words',
  four: 'four common words',
}

/** A number of requests, and the ms of CPU of a search among them. */
export type Point = readonly [requests: number, ms: number]

export interface SearchFigures extends Source {
  /** Of a curve through fewer than three points. */
  constantMs: number
  exponent: number
  points: Readonly<Record<Words, readonly Point[]>>
  table?: SourceOfTable & { section: string; sizes: readonly number[]; engine: string; column: string }
}

export type Engine = 'embedded' | 'bm25' | 'tsvector' | 'openSearch'

export interface Assumption {
  value: number
  unit: string
  what: string
}

export interface Limit {
  label: string
  max: number
  unit: string
  what: string
  /** What is wanted a second, where the limit is what is missing of it. */
  wanted?: number
  /** All of them without it. */
  setups?: readonly string[]
}

export interface Inputs {
  figures: Readonly<Record<string, Figure>>
  searches: Readonly<Record<Engine, SearchFigures>>
  assumptions: Readonly<Record<string, Assumption>>
  limits: Readonly<Record<string, Limit>>
  sizes: readonly number[]
}

const cellsOf = (line: string) =>
  line
    .split('|')
    .slice(1, -1)
    .map((cell) => cell.trim())

/** The number in a cell of the tables of a section, or null where it has no such cell. */
export function readCell(
  section: string,
  { heading, row, column }: Pick<Cell, 'heading' | 'row' | 'column'>,
): number | null {
  const start = heading === null ? 0 : section.indexOf(`### ${heading}`)
  if (start === -1) return null
  const end = section.indexOf('\n### ', start + 1)
  let columns: string[] = []
  for (const line of section.slice(start, end === -1 ? undefined : end).split('\n')) {
    const cells = line.startsWith('|') ? cellsOf(line) : []
    if (cells.length === 0) columns = []
    else if (columns.length === 0) columns = cells
    else if (row.every((name, index) => cells[index] === name)) {
      const text = cells[columns.indexOf(column)] ?? ''
      if (/\d/.test(text)) return Number.parseFloat(text.replaceAll(',', ''))
    }
  }
  return null
}

/** When a section was measured, as its bench wrote it. */
const dateOf = (section: string) => /^Measured (\d{4}-\d{2}-\d{2})/m.exec(section)?.[1]

/** The source of a number that was read from a table. */
const sourceOf = (section: string, { machine, by }: SourceOfTable, file: Source): Omit<Source, 'what'> => ({
  kind: 'measured',
  when: dateOf(section) ?? file.when,
  machine: machine ?? file.machine,
  by: by ?? file.by,
})

/** The figures of the file, with those of docs/benchmarks.md where a bench has written them. */
export function readInputs(): Inputs {
  const inputs: Inputs = JSON.parse(readFileSync(new URL('figures.json', import.meta.url), 'utf8'))
  const figures = Object.entries(inputs.figures).map(([name, figure]) => {
    if (figure.table === undefined) return [name, figure]
    const section = readSection(figure.table.section)
    const value = readCell(section, figure.table)
    if (value === null) return [name, figure]
    return [name, { ...figure, value, ...sourceOf(section, figure.table, figure) }]
  })
  const searches = Object.entries(inputs.searches).map(([name, search]) => [name, withMeasuredPoints(search)])
  return { ...inputs, figures: Object.fromEntries(figures), searches: Object.fromEntries(searches) }
}

function withMeasuredPoints(search: SearchFigures): SearchFigures {
  const { table } = search
  if (table === undefined) return search
  const section = readSection(table.section)
  const pointsOf = (words: Words): readonly Point[] =>
    table.sizes.map((size): Point => {
      const heading = `${size.toLocaleString('en')} documents`
      return [size, readCell(section, { heading, row: [table.engine, wordsOf[words]], column: table.column }) ?? 0]
    })
  const points = { one: pointsOf('one'), two: pointsOf('two'), four: pointsOf('four') }
  // A curve has points of one source.
  if (!Object.values(points).every((found) => found.every(([, ms]) => ms > 0))) return search
  return { ...search, ...sourceOf(section, table, search), points }
}

/** The value of a figure, or null where none was measured. */
export function figureOf({ figures }: Inputs, name: string): number | null {
  const figure = figures[name]
  if (figure === undefined) throw new Error(`growth/figures.json has no figure ${name}`)
  return figure.value
}

/** The value of a figure without which there is no estimate. */
export function neededFigure(inputs: Inputs, name: string): number {
  const value = figureOf(inputs, name)
  if (value === null) throw new Error(`growth/figures.json needs a value of ${name}`)
  return value
}

/** The value of an assumption. */
export function assumed({ assumptions }: Inputs, name: string): number {
  const assumption = assumptions[name]
  if (assumption === undefined) throw new Error(`growth/figures.json has no assumption ${name}`)
  return assumption.value
}
