import type { Command } from 'commander'
import type { Difference } from '../credits/differences.ts'
import { CommandError, exitCodes } from './exit-codes.ts'
import { operate, operatorCommand } from './operator-command.ts'
import { printable } from './text.ts'

/** A large ledger takes its time. */
const timeoutMs = 10 * 60_000

/** One line that names the fault, what is stored and what it should be. */
export const describeDifference = ({ accountId, check, subject, stored, expected }: Difference): string =>
  `account ${accountId}, ${printable(check)} (${printable(subject)}): is ${stored ?? 'missing'}, must be ${expected ?? 'absent'}`

/** `wishwell verify`: proves the ledger, or shows where it is wrong and ends with 1. */
export function verifyCommand(): Command {
  return operatorCommand(
    'verify',
    'recompute every balance from the ledger and check every rule of it; exit code 1 when one is broken',
  ).action(async (options: { json: boolean }) => {
    let differences: Difference[] = []
    await operate<{ differences: Difference[] }>(
      options,
      async (operator) => {
        const answer = await operator.call<{ differences: Difference[] }>('/api/admin/verify', { timeoutMs })
        differences = answer.data.differences
        return answer
      },
      (data) =>
        data.differences.length === 0 ? ['The ledger is sound: every balance is the sum of its entries.'] : [],
    )
    const [first] = differences
    if (!first) return
    const more = differences.length > 1 ? `\n(${differences.length} differences were found; --json shows them.)` : ''
    throw new CommandError(`The ledger is wrong: ${describeDifference(first)}${more}`, exitCodes.failed)
  })
}
