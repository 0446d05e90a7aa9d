import { Command } from 'commander'
import { createApi } from './api.ts'
import type { AccountUsage } from './api-types.ts'
import { readClientConfig } from './client-config.ts'
import { environmentHelp, helpEnd, wholeNumber } from './options.ts'
import { exitWhenOutputCloses, printJson, printLines } from './output.ts'
import { count } from './text.ts'

const help = `${environmentHelp}

Exit codes: 0 done; 1 the service refused; 2 the command line or the environment is wrong; 3 the service cannot be reached;
5 too many requests.`

/** `wishwell usage`: the used and remaining credits of the account. */
export function usageCommand(): Command {
  return new Command('usage')
    .description('show the plan, and its used and remaining credits (free)')
    .option('--days <days>', 'also the credits spent on each of so many days, 1 to 90', wholeNumber(1, 90))
    .option('--json', 'print only the answer of the service, as one JSON object', false)
    .addHelpText('after', helpEnd(help))
    .showHelpAfterError('(wishwell usage --help shows every option)')
    .action(showUsage)
}

async function showUsage({ days, json }: { days?: number; json: boolean }): Promise<void> {
  exitWhenOutputCloses()
  const answer = await createApi(readClientConfig()).readUsage(undefined, days)
  if (json) printJson(answer)
  else printLines(formatUsage(answer.data))
}

const number = (amount: number) => amount.toLocaleString('en-US')

/** The usage as text. */
export function formatUsage({ tier, credits, paygBalance, paygMonthlyCap, rateLimit, days }: AccountUsage): string[] {
  const cap = paygMonthlyCap === null ? 'no cap' : `at most ${count(paygMonthlyCap, 'credit')} a month`
  const held = credits.held === 0 ? '' : `, ${number(credits.held)} of them held by running jobs`
  const used = `${number(credits.used)} of ${number(credits.limit)} used${held}, ${number(credits.remaining)} remaining`
  return [
    `Plan:          ${tier}, ${count(rateLimit.requestsPerMinute, 'request')} a minute`,
    `Credits:       ${used}, renewed on ${credits.resetsAt.slice(0, 10)}`,
    `Pay as you go: ${count(paygBalance, 'credit')}, ${cap}`,
    ...(days ?? []).map((day) => `  ${day.date}  ${day.operation.padEnd(8)}  ${count(day.credits, 'credit')}`),
    ...(days?.length === 0 ? ['  Nothing was spent on these days.'] : []),
  ]
}
