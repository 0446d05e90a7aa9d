import { type Command, Option } from 'commander'
import type { Difference } from '../credits/ledger-rules.ts'
import type { Verified } from '../requests/wrong-number.ts'
import { answerOf } from './api.ts'
import { CommandError, exitCodes } from './exit-codes.ts'
import { operate, operatorCommand } from './operator-command.ts'
import { printable } from './text.ts'

/** Checking a large database takes long. */
const timeoutMs = 60 * 60_000

/** In the order of verification: the ledger first, since it takes seconds. */
const parts = ['ledger', 'topics', 'wishes', 'vocabulary'] as const
type Part = (typeof parts)[number]

const sound: Record<Part, string> = {
  ledger: 'The ledger is sound: every balance is the sum of its entries.',
  topics: 'The counts of all topics are right.',
  wishes: 'The numbers of all wishes are right.',
  vocabulary: 'The vocabulary is right.',
}

/** A line with the broken rule, the stored and the correct value. */
const describeDifference = ({ accountId, check, subject, stored, expected }: Difference): string =>
  `account ${accountId}, ${printable(check)} (${printable(subject)}): is ${stored ?? 'missing'}, must be ${expected ?? 'absent'}`

interface Findings extends Partial<Record<Exclude<Part, 'ledger'>, Verified>> {
  differences?: Difference[]
}

const ofPart = (findings: Findings, part: Part): string[] =>
  part === 'ledger'
    ? (findings.differences ?? []).map(describeDifference)
    : (findings[part]?.wrong ?? []).map(
        ({ subject, check, stored, expected }) =>
          `${printable(subject)}, ${printable(check)}: is ${printable(stored ?? 'missing')}, must be ${printable(expected ?? 'absent')}`,
      )

/** Empty if something is wrong, which is an error. */
function describeSound(findings: Findings, verified: readonly Part[]): string[] {
  if (verified.some((part) => ofPart(findings, part).length > 0)) return []
  return verified.map((part) => {
    const unchecked = part === 'ledger' ? 0 : (findings[part]?.unchecked ?? 0)
    if (unchecked === 0) return sound[part]
    return `${sound[part].slice(0, -1)}, but ${unchecked} words changed too often to be checked: repeat it while less is written.`
  })
}

/** @throws CommandError for the first difference. */
function failIfWrong(findings: Findings, verified: readonly Part[]): void {
  const lines = verified.flatMap((part) => ofPart(findings, part).map((line) => ({ part, line })))
  const [first] = lines
  if (!first) return
  const more = lines.length > 1 ? `\n(${lines.length} differences were found; --json shows them.)` : ''
  const what = first.part === 'ledger' ? 'The ledger is wrong' : `What is stored of ${first.part} is wrong`
  throw new CommandError(`${what}: ${first.line}${more}`, exitCodes.failed)
}

/** `wishwell admin verify`: checks the ledger and derived data. Shows broken rules, with exit code 1. */
export function verifyCommand(): Command {
  return operatorCommand(
    'verify',
    'recompute every balance from the ledger, and counts of topics, numbers of wishes and vocabulary from the requests; exit code 1 when one is wrong',
  )
    .addOption(new Option('--only <part>', 'only this part').choices(parts))
    .action(async ({ json, only }: { json: boolean; only?: Part }) => {
      const verified = only === undefined ? parts : [only]
      const findings: Findings = {}
      await operate(
        { json },
        async ({ api }) => {
          for (const part of verified) {
            if (part === 'ledger') {
              findings.differences = (await answerOf(api.GET('/api/admin/verify'))).data.differences
            } else
              findings[part] = (
                await answerOf(api.GET('/api/admin/verify/{part}', { params: { path: { part } } }))
              ).data
          }
          return { data: { data: findings } }
        },
        () => describeSound(findings, verified),
        { timeoutMs },
      )
      failIfWrong(findings, verified)
    })
}
