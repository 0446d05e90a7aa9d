import { exitCodes } from './exit-codes.ts'
import { countColumns, printable, toJsonLine, wrapLine } from './text.ts'

/** For terminals that report no width: `script` and some consoles report 0 columns. */
const usualColumns = 80

/** The width of a terminal; null for a pipe. */
export const columnsOf = ({ isTTY, columns }: Pick<NodeJS.WriteStream, 'isTTY' | 'columns'>): number | null =>
  isTTY ? columns || usualColumns : null

/** The width of stdout's terminal; null for a pipe, where lines are never wrapped. */
export const terminalColumns = (): number | null => columnsOf(process.stdout)

/** Wraps lines to a terminal's width; null leaves them unchanged. */
export const fitLines = (lines: readonly string[], columns: number | null): string[] =>
  columns === null ? [...lines] : lines.flatMap((line) => wrapLine(line, columns))

/** Prints lines on stdout, wrapped on a terminal. */
export function printLines(lines: readonly string[]): void {
  if (lines.length > 0) process.stdout.write(`${fitLines(lines, terminalColumns()).join('\n')}\n`)
}

/** Prints lines on stderr, wrapped on a terminal. */
export function noteLines(lines: readonly string[]): void {
  process.stderr.write(`${fitLines(lines, columnsOf(process.stderr)).join('\n')}\n`)
}

/** Prints a value as JSON on one line. */
export function printJson(value: unknown): void {
  process.stdout.write(`${toJsonLine(value)}\n`)
}

/**
 * Ends the command when its output's reader closes the pipe (`| head`). A closed stderr is a failure, because progress
 * comes before the work is done.
 * @param streams without stdout if its cut is a failure, too
 */
export function exitWhenOutputCloses(streams: readonly NodeJS.WriteStream[] = [process.stdout, process.stderr]): void {
  for (const stream of streams) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE' && error.code !== 'EIO') throw error
      process.exit(stream === process.stderr ? exitCodes.failed : undefined)
    })
  }
}

/** An item of a list: what people know it by, its facts, and the id for commands. */
export interface Row {
  /** Its title or name; else its kind or moment. */
  title: string
  /** Empty ones are omitted. */
  facts: readonly string[]
  /** Never shortened: ids of the same hour start alike. Null for items without one. */
  id: string | null
  /** What is wrong with it, a line each. */
  problems?: readonly string[]
}

const partsOf = ({ title, facts, id }: Row): string[] =>
  [title, facts.filter((fact) => fact !== '').join(' · '), id ?? ''].map(printable).filter((part) => part !== '')

/** One line in reading order: title, facts, id. */
export const formatRow = (row: Row): string => partsOf(row).join('  ')

/** Rows as text: a line each, or one per part on a narrow terminal. @param columns null in a pipe: always one line */
export function formatRows(rows: readonly Row[], columns: number | null = terminalColumns()): string[] {
  const fit = columns === null || rows.every((row) => countColumns(formatRow(row)) <= columns)
  return rows.flatMap((row) => {
    const [first = '', ...parts] = fit ? [formatRow(row)] : partsOf(row)
    return [first, ...[...parts, ...(row.problems ?? []).map(printable)].map((line) => `  ${line}`)]
  })
}

/** Formats results as rows. @param none printed for an empty list */
export const formatList = <Result>(
  results: readonly Result[],
  rowOf: (result: Result) => Row,
  none: string,
): string[] => (results.length === 0 ? [none] : formatRows(results.map(rowOf)))
