import { exitCodes } from './exit-codes.ts'
import { toJsonLine } from './text.ts'

export function printLines(lines: readonly string[]): void {
  if (lines.length > 0) process.stdout.write(`${lines.join('\n')}\n`)
}

/** Prints a value as one JSON object on one line. */
export function printJson(value: unknown): void {
  printLines([toJsonLine(value)])
}

/**
 * Ends the command, as it should, when whoever reads its output has read enough (`| head`). Nobody may take it for a success
 * when that was stderr: it is written to before the work is done.
 */
export function endWhenNobodyReads(): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE' && error.code !== 'EIO') throw error
      process.exit(stream === process.stderr ? exitCodes.failed : undefined)
    })
  }
}
