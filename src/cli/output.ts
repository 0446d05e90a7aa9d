import { exitCodes } from './exit-codes.ts'
import { toJsonLine, wrapLine } from './text.ts'

/** How wide the terminal on stdout is; null in a pipe, where lines are as long as they are. */
export const terminalColumns = (): number | null => (process.stdout.isTTY ? process.stdout.columns : null)

/** Lines as they fit a terminal of that width; unchanged for null. */
export const fitLines = (lines: readonly string[], columns: number | null): string[] =>
  columns === null ? [...lines] : lines.flatMap((line) => wrapLine(line, columns))

/** Prints lines: broken between words on a terminal that is narrower, whole in a pipe. */
export function printLines(lines: readonly string[]): void {
  if (lines.length > 0) process.stdout.write(`${fitLines(lines, terminalColumns()).join('\n')}\n`)
}

/** The same on stderr. */
export function noteLines(lines: readonly string[]): void {
  const columns = process.stderr.isTTY ? process.stderr.columns : null
  process.stderr.write(`${fitLines(lines, columns).join('\n')}\n`)
}

/** Prints a value as one JSON object on one line. */
export function printJson(value: unknown): void {
  process.stdout.write(`${toJsonLine(value)}\n`)
}

/**
 * Ends the command, as it should, when whoever reads its output has read enough (`| head`). Nobody may take it for a success
 * when that was stderr: it is written to before the work is done.
 */
export function exitWhenOutputCloses(): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE' && error.code !== 'EIO') throw error
      process.exit(stream === process.stderr ? exitCodes.failed : undefined)
    })
  }
}
