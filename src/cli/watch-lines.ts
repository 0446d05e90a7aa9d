import { goalChangesNothing } from '../watches/news/goal-words.ts'
import type { Schemas } from './api-types.ts'
import { formatRow, type Row } from './output.ts'
import { count, formatMoment, printable } from './text.ts'

type ListedWatch = Schemas['ListedWatch']

const reasons = { key_ended: 'its key has ended', not_looked_at: 'nobody has looked at it for 90 days' }

const stateOf = ({ state, nextRunAt, askingBecause }: ListedWatch) =>
  state === 'active' && nextRunAt !== null
    ? `next run ${formatMoment(nextRunAt)}`
    : state === 'asking'
      ? `asks${askingBecause === null ? '' : `: ${reasons[askingBecause]}`}; resume it to go on`
      : printable(state)

const budgetOf = ({ usedThisMonth, monthlyCredits }: ListedWatch) =>
  `${usedThisMonth.toLocaleString('en-US')} of ${count(monthlyCredits, 'credit')} this month`

/** A watch in a list. */
export const watchRow = (watch: ListedWatch): Row => ({
  title: watch.name,
  facts: [`"${watch.topic}"`, watch.schedule, budgetOf(watch), stateOf(watch)],
  id: watch.watchId,
})

/** The next runs, and a month's cost. */
export function formatPreview({ runs, month }: Schemas['Watch']['preview']): string[] {
  const paid = month.paidRuns < month.runs ? `; the budget pays for ${count(month.paidRuns, 'run')} in any case` : ''
  return [
    'Next runs:',
    ...runs.map(({ at, maxCredits }) => `  ${formatMoment(at)}  at most ${count(maxCredits, 'credit')}`),
    `In 31 days: ${count(month.runs, 'run')}, at most ${count(month.maxCredits, 'credit')}${paid}`,
  ]
}

/** Everything about a watch. */
export function formatWatch(watch: Schemas['Watch']): string[] {
  const sources = Object.entries(watch.sources ?? {}).flatMap(([platform, list]) =>
    list.map((source) => `${printable(platform)}:${printable(source)}`),
  )
  return [
    formatRow({ title: watch.name, facts: [], id: watch.watchId }),
    `  topic      "${printable(watch.topic)}"`,
    `  platforms  ${watch.platforms.map(printable).join(', ')}, ${count(watch.depth, 'page')} each`,
    ...(sources.length === 0 ? [] : [`  sources    ${sources.join(', ')}`]),
    `  schedule   ${printable(watch.schedule)} (${printable(watch.timezone)})`,
    `  budget     ${budgetOf(watch)}`,
    ...(watch.goal === null ? [] : [`  goal       ${printable(watch.goal)}`]),
    ...(watch.goalIsCompared === false ? [`             ${goalChangesNothing}`] : []),
    ...(watch.mutedNews.length === 0 ? [] : [`  muted      ${watch.mutedNews.map(printable).join(', ')}`]),
    `  state      ${stateOf(watch)}`,
    ...(watch.state === 'active' ? formatPreview(watch.preview) : []),
  ]
}

/** What failed in a run; empty from older services. */
export const problemLines = (problems: Schemas['WatchRun']['problems'] = []): string[] =>
  problems.map(({ platform, message }) => `${platform}: ${message}`)

/** A run in a list. */
export function runRow(run: Schemas['WatchRun']): Row {
  const { dueAt, trigger, skipped, jobId, status, credits, requestsCreated, problems } = run
  const whatCameOf =
    skipped === null
      ? [status ?? '', `${count(requestsCreated, 'new request')}, ${count(credits, 'credit')}`]
      : [skipped === 'no_credits' ? 'skipped: nothing pays for it' : 'skipped: the run before had not ended']
  const facts = [trigger === 'manual' ? 'by hand' : 'scheduled', ...whatCameOf]
  const id = jobId === null ? null : `job ${jobId}`
  return { title: formatMoment(dueAt), facts, id, problems: problemLines(problems) }
}
