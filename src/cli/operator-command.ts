import { createInterface } from 'node:readline/promises'
import { Command } from 'commander'
import { answerOf } from './api.ts'
import { CommandError, exitCodes } from './exit-codes.ts'
import type { Operator } from './operator.ts'
import { helpEnd } from './options.ts'
import { exitWhenOutputCloses, printJson, printLines } from './output.ts'
import { actionsBy } from './plain-actions.ts'

/** The bytes of a non-JSON answer; reading throws ApiError if it breaks off. */
export async function download({ url, connection }: Operator, path: string): Promise<AsyncIterable<Uint8Array>> {
  const { body } = await connection.stream(new Request(url + path))
  return body ?? ReadableStream.from([])
}

/** The end of every operator command's help. */
export const operatorHelp = `
It calls the running service; when nothing listens at its address, it works on the database itself.

Without --url and --key:
  WISHWELL_URL    where the service is (default: where "wishwell serve" listens, by HOST and PORT)
  ADMIN_API_KEY   the admin key (default for a service on this machine: the one in DATA_DIR/admin-key)
  DATA_DIR, DATABASE_URL   the database, as for "wishwell serve"

Exit codes: 0 done; 1 the service refused it, or it failed; 2 the command line or the environment is wrong;
3 the service cannot be reached, or it holds the data directory without being reachable; 5 too many calls with a wrong key.`

/** A command of the operator, with `--json`. @param help extra text for `--help` */
export function operatorCommand(name: string, description: string, help = ''): Command {
  return new Command(name)
    .description(description)
    .option('--json', 'print only the answer of the service, as one JSON object', false)
    .addHelpText('after', helpEnd(help + operatorHelp))
}

/** Makes an operator's call and prints the answer: raw with `--json`, else formatted. @throws ApiError */
export async function operate<Data>(
  { json }: { json: boolean },
  run: (operator: Operator) => Promise<{ data?: { data: Data } }>,
  format: (data: Data) => string[],
  limit?: { timeoutMs: number },
): Promise<void> {
  exitWhenOutputCloses()
  const { withOperator } = await import('./operator.ts')
  const answer = await withOperator((operator) => answerOf(run(operator)), limit)
  if (json) printJson(answer)
  else printLines(format(answer.data))
}

/** The plain actions as operator. */
export const plainly = actionsBy((options, call, format) =>
  operate(
    options,
    ({ api }) => call(api),
    (data) => format({ data }),
  ),
)

/** Checks early that a question can be asked. @throws CommandError without `--yes` and without a terminal. */
export function requireSomebodyToAsk({ yes }: { yes: boolean }): void {
  if (yes || (process.stdin.isTTY && process.stderr.isTTY)) return
  throw new CommandError(
    'This command asks for confirmation, and there is no terminal to ask on: add --yes.',
    exitCodes.usage,
  )
}

/** Asks for confirmation unless `--yes` is given. @throws CommandError if refused, or without a terminal. */
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
