import { Command, InvalidArgumentError, Option } from 'commander'
import { monthOf } from '../accounts/month.ts'
import { monthPattern, weekOf, weekPattern, weekPeriod } from '../accounts/period.ts'
import type { Spent } from '../credits/spending.ts'
import { systemClock } from '../runtime/clock.ts'
import { createApi } from './api.ts'
import type { AccountUsage, PeriodSpending } from './api-types.ts'
import { readClientConfig } from './client-config.ts'
import { environmentHelp, helpEnd, wholeNumber } from './options.ts'
import { exitWhenOutputCloses, printJson, printLines } from './output.ts'
import { formatRow } from './rows.ts'
import { count } from './text.ts'

const help = `${environmentHelp}

Exit codes: 0 done; 1 the service refused; 2 the command line or the environment is wrong; 3 the service cannot be reached;
5 too many requests.`

/** `wishwell usage`: the used and remaining credits of the account. */
export function usageCommand(): Command {
  return new Command('usage')
    .description('show the plan, and its used and remaining credits (free)')
    .option('--days <days>', 'also the credits spent on each of so many days, 1 to 90', wholeNumber(1, 90))
    .addOption(
      new Option(
        '--month [month]',
        'also what each key and each watch used in a UTC month, 2026-11; without one in this month',
      )
        .preset(monthOf(systemClock.now()))
        .argParser(month)
        .conflicts('week'),
    )
    .addOption(
      new Option(
        '--week [week]',
        'the same for an ISO week, 2026-W47, which begins on Monday, 00:00 UTC; without one for this week',
      )
        .preset(weekOf(systemClock.now()))
        .argParser(week),
    )
    .option('--json', 'print only the answer of the service, as one JSON object', false)
    .addHelpText('after', helpEnd(help))
    .showHelpAfterError('(wishwell usage --help shows every option)')
    .action(showUsage)
}

function month(text: string): string {
  if (!new RegExp(monthPattern).test(text)) throw new InvalidArgumentError('It must be a month, such as 2026-11.')
  return text
}

function week(text: string): string {
  if (new RegExp(weekPattern).test(text) && weekPeriod(text) !== null) return text
  throw new InvalidArgumentError('It must be a week of a year, such as 2026-W47.')
}

interface Options {
  days?: number
  month?: string
  week?: string
  json: boolean
}

async function showUsage({ days, json, ...period }: Options): Promise<void> {
  exitWhenOutputCloses()
  const query = { ...(days === undefined ? {} : { days: String(days) }), ...period }
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

const dayMs = 24 * 3600_000

/** What a month or a week cost, by key and by watch. */
function formatSpenders({ month, week, from, until, total, withoutKey, keys, watches }: PeriodSpending): string[] {
  const lastDay = new Date(Date.parse(until) - dayMs).toISOString().slice(0, 10)
  const cost = ({ held, settled }: Spent) =>
    `${count(settled, 'credit')}${held === 0 ? '' : ` and ${number(held)} held`}`
  const when = month === undefined ? `In ${week}, ${from.slice(0, 10)} to ${lastDay}` : `In ${month}`
  const rows = [
    ...keys.map((key) => ({ title: key.name, facts: ['key', cost(key)], id: key.keyId })),
    ...(withoutKey.held + withoutKey.settled === 0
      ? []
      : [{ title: 'The page', facts: ['signed in by a link', cost(withoutKey)], id: null }]),
    ...watches.map((watch) => ({
      title: watch.name ?? '(deleted)',
      facts: ['watch', cost(watch)],
      id: watch.watchId,
    })),
  ]
  return [`${when}: ${cost(total)}`, ...rows.map((row) => `  ${formatRow(row)}`)]
}
