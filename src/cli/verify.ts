import type { Command } from 'commander'
import type { Difference } from '../credits/differences.ts'
import { CommandError, exitCodes } from './exit-codes.ts'
import { operate, operatorCommand } from './operator-command.ts'
import { printable } from './text.ts'

/** The check of a large ledger takes long. */
const timeoutMs = 10 * 60_000

/** A line with the broken rule, the stored value and the right one. */
export const describeDifference = ({ accountId, check, subject, stored, expected }: Difference): string =>
  `account ${accountId}, ${printable(check)} (${printable(subject)}): is ${stored ?? 'missing'}, must be ${expected ?? 'absent'}`

/** `wishwell verify`: checks the ledger; a broken rule is shown, and the exit code is 1. */
export function verifyCommand(): Command {
  return operatorCommand(
    'verify',
    'recompute every balance from the ledger and check its rules; exit code 1 when one is broken',
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
