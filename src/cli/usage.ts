import { Command, InvalidArgumentError } from 'commander'
import type { Spending, Spent } from '../credits/spending.ts'
import { createApi } from './api.ts'
import type { AccountUsage } from './api-types.ts'
import { readClientConfig } from './client-config.ts'
import { environmentHelp, helpEnd, wholeNumber } from './options.ts'
import { exitWhenOutputCloses, printJson, printLines } from './output.ts'
import { count, printable } from './text.ts'

const help = `${environmentHelp}

Exit codes: 0 done; 1 the service refused; 2 the command line or the environment is wrong; 3 the service cannot be reached;
5 too many requests.`

/** `wishwell usage`: the used and remaining credits of the account. */
export function usageCommand(): Command {
  return new Command('usage')
    .description('show the plan, and its used and remaining credits (free)')
    .option('--days <days>', 'also the credits spent on each of so many days, 1 to 90', wholeNumber(1, 90))
    .option('--month <month>', 'also what each key and each watch used in a UTC month, 2026-11', month)
    .option('--json', 'print only the answer of the service, as one JSON object', false)
    .addHelpText('after', helpEnd(help))
    .showHelpAfterError('(wishwell usage --help shows every option)')
    .action(showUsage)
}

function month(text: string): string {
  if (!/^\d{4}-(0[1-9]|1[0-2])$/.test(text)) throw new InvalidArgumentError('It must be a month, such as 2026-11.')
  return text
}

async function showUsage(options: { days?: number; month?: string; json: boolean }): Promise<void> {
  exitWhenOutputCloses()
  const { days, month, json } = options
  const query = { ...(days === undefined ? {} : { days: String(days) }), ...(month === undefined ? {} : { month }) }
  const answer = await createApi(readClientConfig()).readUsage(undefined, query)
  if (json) printJson(answer)
  else printLines(formatUsage(answer.data))
}

const number = (amount: number) => amount.toLocaleString('en-US')

/** The usage as text. */
export function formatUsage(usage: AccountUsage): string[] {
  const { tier, credits, paygBalance, paygMonthlyCap, rateLimit, days, spenders } = usage
  const cap = paygMonthlyCap === null ? 'no cap' : `at most ${count(paygMonthlyCap, 'credit')} a month`
  const held = credits.held === 0 ? '' : `, ${number(credits.held)} of them held by running jobs`
  const used = `${number(credits.used)} of ${number(credits.limit)} used${held}, ${number(credits.remaining)} remaining`
  return [
    `Plan:          ${tier}, ${count(rateLimit.requestsPerMinute, 'request')} a minute`,
    `Credits:       ${used}, renewed on ${credits.resetsAt.slice(0, 10)}`,
    `Pay as you go: ${count(paygBalance, 'credit')}, ${cap}`,
    ...(days ?? []).map((day) => `  ${day.date}  ${day.operation.padEnd(8)}  ${count(day.credits, 'credit')}`),
    ...(days?.length === 0 ? ['  Nothing was spent on these days.'] : []),
    ...(spenders ? formatSpenders(spenders) : []),
  ]
}

/** What a month cost, by key and by watch. */
function formatSpenders({ month, total, withoutKey, keys, watches }: Spending): string[] {
  const line = (what: string, { held, settled }: Spent) =>
    `  ${what}  ${count(settled, 'credit')}${held === 0 ? '' : ` and ${number(held)} held`}`
  return [
    `In ${month}:`,
    line('all'.padEnd(42), total),
    ...keys.map((key) => `${line(`key   ${key.keyId}`, key)}  ${printable(key.name)}`),
    ...(withoutKey.held + withoutKey.settled === 0
      ? []
      : [`${line('page'.padEnd(42), withoutKey)}  (signed in by a link)`]),
    ...watches.map((watch) => `${line(`watch ${watch.watchId}`, watch)}  ${printable(watch.name ?? '(deleted)')}`),
  ]
}
