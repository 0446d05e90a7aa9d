import { createInterface } from 'node:readline/promises'
import { CommandError, exitCodes } from './exit-codes.ts'

/**
 * Finds out before any work is done.
 * @throws CommandError when a question must be asked and there is nobody to ask.
 */
export function requireSomebodyToAsk({ yes }: { yes: boolean }): void {
  if (yes || (process.stdin.isTTY && process.stderr.isTTY)) return
  throw new CommandError('This asks before it does anything, and nobody can be asked here: add --yes.', exitCodes.usage)
}

/**
 * Asks the person at the terminal whether to go on; with `--yes` nobody is asked.
 * @param consequence what will happen, as a sentence.
 * @throws CommandError when they say no, or when there is nobody to ask.
 */
export async function confirm(consequence: string, { yes }: { yes: boolean }): Promise<void> {
  requireSomebodyToAsk({ yes })
  if (yes) return
  const terminal = createInterface({ input: process.stdin, output: process.stderr })
  // Ctrl-D and Ctrl-C are a no.
  const closed = new Promise<string>((resolve) => terminal.once('close', () => resolve('')))
  const answer = await Promise.race([terminal.question(`${consequence} Go on? (y/N) `), closed])
  terminal.close()
  if (!/^y(es)?$/i.test(answer.trim())) throw new CommandError('Nothing was done.')
}
