import { type Command, InvalidArgumentError, Option } from 'commander'
import { monthOf, monthPattern, weekOf, weekPattern, weekPeriod } from '../accounts/period.ts'
import { systemClock } from '../runtime/clock.ts'
import { dayMs } from '../runtime/durations.ts'
import type { Data } from './api-types.ts'
import { addJson, clientCommand } from './client-command.ts'
import { wholeNumber } from './options.ts'
import { formatRow } from './output.ts'
import { plain } from './plain-actions.ts'
import { count, formatDay } from './text.ts'

/** `wishwell usage`: the account's used and remaining credits. */
export function usageCommand(): Command {
  return addJson(clientCommand('usage', 'show the plan, and its used and remaining credits (free)', {}))
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
    .action(plain.call('get', '/api/v1/usage', formatUsage))
}

function month(text: string): string {
  if (!new RegExp(monthPattern).test(text)) throw new InvalidArgumentError('It must be a month, such as 2026-11.')
  return text
}

function week(text: string): string {
  if (new RegExp(weekPattern).test(text) && weekPeriod(text) !== null) return text
  throw new InvalidArgumentError('It must be a week of a year, such as 2026-W47.')
}

const number = (amount: number) => amount.toLocaleString('en-US')

/** Formats the usage. */
export function formatUsage(usage: Data<'readUsage'>): string[] {
  const { tier, credits, paygBalance, paygMonthlyCap, rateLimit, days, spenders } = usage
  const cap = paygMonthlyCap === null ? 'no cap' : `at most ${count(paygMonthlyCap, 'credit')} a month`
  const held = credits.held === 0 ? '' : `, ${number(credits.held)} of them held by running jobs`
  const used = `${number(credits.used)} of ${number(credits.limit)} used${held}, ${number(credits.remaining)} remaining`
  return [
    `Plan:          ${tier}, ${count(rateLimit.requestsPerMinute, 'request')} a minute`,
    `Credits:       ${used}, renewed on ${formatDay(credits.resetsAt)}`,
    `Pay as you go: ${count(paygBalance, 'credit')}, ${cap}`,
    ...(days ?? []).map(
      (day) => `  ${formatDay(day.date).padEnd(12)}  ${day.operation.padEnd(8)}  ${count(day.credits, 'credit')}`,
    ),
    ...(days?.length === 0 ? ['  Nothing was spent on these days.'] : []),
    ...(spenders ? formatSpenders(spenders) : []),
  ]
}

type Spenders = NonNullable<Data<'readUsage'>['spenders']>
type Spent = Spenders['total']

function formatSpenders({ month, week, from, until, total, withoutKey, keys, watches, persons }: Spenders): string[] {
  const lastDay = formatDay(new Date(Date.parse(until) - dayMs))
  const cost = ({ held, settled }: Spent) =>
    `${count(settled, 'credit')}${held === 0 ? '' : ` and ${number(held)} held`}`
  const when = month === undefined ? `In ${week}, ${formatDay(from)} to ${lastDay}` : `In ${month}`
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
    ...persons.map((person) => ({ title: person.personName, facts: ['person', cost(person)], id: null })),
  ]
  return [`${when}: ${cost(total)}`, ...rows.map((row) => `  ${formatRow(row)}`)]
}
