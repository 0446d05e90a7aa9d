import { createInterface } from 'node:readline/promises'
import { CommandError, exitCodes } from './exit-codes.ts'

/**
 * Checks, before any work is done, that a question can be asked.
 * @throws CommandError when `--yes` is missing and there is no terminal.
 */
export function requireSomebodyToAsk({ yes }: { yes: boolean }): void {
  if (yes || (process.stdin.isTTY && process.stderr.isTTY)) return
  throw new CommandError(
    'This command asks for confirmation, and there is no terminal to ask on: add --yes.',
    exitCodes.usage,
  )
}

/**
 * Asks for confirmation on the terminal, unless `--yes` is given.
 * @param consequence what will happen, as a sentence.
 * @throws CommandError when the answer is no, or there is no terminal.
 */
export async function confirm(consequence: string, { yes }: { yes: boolean }): Promise<void> {
  requireSomebodyToAsk({ yes })
  if (yes) return
  const terminal = createInterface({ input: process.stdin, output: process.stderr })
  // Ctrl-D and Ctrl-C mean no.
  const closed = new Promise<string>((resolve) => terminal.once('close', () => resolve('')))
  const answer = await Promise.race([terminal.question(`${consequence} Go on? (y/N) `), closed])
  terminal.close()
  if (!/^y(es)?$/i.test(answer.trim())) throw new CommandError('Nothing was done.')
}
