import type { WatchRun } from '../watches/history.ts'
import type { WatchPreview } from '../watches/preview.ts'
import { count, countColumns, printable } from './text.ts'
import type { ListedWatch, ReadWatch } from './watch-calls.ts'

/** A moment of the service as a person reads it. */
const moment = (text: string) => `${printable(text).slice(0, 16).replace('T', ' ')} UTC`

const stateOf = ({ state, nextRunAt }: ListedWatch) =>
  state === 'active' && nextRunAt !== null
    ? `next run ${moment(nextRunAt)}`
    : state === 'asking'
      ? 'asks: unseen for 90 days, or its key has ended; resume it to go on'
      : printable(state)

const budgetOf = ({ usedThisMonth, monthlyCredits }: ListedWatch) =>
  `${usedThisMonth.toLocaleString('en-US')} of ${count(monthlyCredits, 'credit')} this month`

/**
 * Watches as text: a line each, or three each on a terminal that is too narrow.
 * @param columns null in a pipe, where a watch is always one line
 */
export function formatWatches(watches: readonly ListedWatch[], columns: number | null): string[] {
  const parts = watches.map((watch) => [
    `${printable(watch.watchId)}  ${printable(watch.name)}`,
    `"${printable(watch.topic)}" · ${printable(watch.schedule)} · ${budgetOf(watch)}`,
    stateOf(watch),
  ])
  const lines = parts.map(([head, facts, state]) => `${head}  ${facts} · ${state}`)
  if (columns === null || lines.every((line) => countColumns(line) <= columns)) return lines
  return parts.flatMap(([head, ...rest]) => [head!, ...rest.map((part) => `  ${part}`)])
}

/** The next runs, and what a month costs. */
export function formatPreview({ runs, month }: WatchPreview): string[] {
  const paid = month.paidRuns < month.runs ? `; the budget pays for ${count(month.paidRuns, 'run')} in any case` : ''
  return [
    'Next runs:',
    ...runs.map(({ at, maxCredits }) => `  ${moment(at)}  at most ${count(maxCredits, 'credit')}`),
    `In 31 days: ${count(month.runs, 'run')}, at most ${count(month.maxCredits, 'credit')}${paid}`,
  ]
}

/** What is said of a goal that nothing is compared with. */
const notCompared = 'changes nothing: this service has no model that compares news with it'

/** Everything about a watch. */
export function formatWatch(watch: ReadWatch): string[] {
  const sources = Object.entries(watch.sources ?? {}).flatMap(([platform, list]) =>
    list.map((source) => `${printable(platform)}:${printable(source)}`),
  )
  return [
    `${printable(watch.watchId)}  ${printable(watch.name)}`,
    `  topic      "${printable(watch.topic)}"`,
    `  platforms  ${watch.platforms.map(printable).join(', ')}, ${count(watch.depth, 'page')} each`,
    ...(sources.length === 0 ? [] : [`  sources    ${sources.join(', ')}`]),
    `  schedule   ${printable(watch.schedule)} (${printable(watch.timezone)})`,
    `  budget     ${budgetOf(watch)}`,
    ...(watch.goal === null ? [] : [`  goal       ${printable(watch.goal)}`]),
    ...(watch.goalIsCompared === false ? [`             ${notCompared}`] : []),
    `  state      ${stateOf(watch)}`,
    ...(watch.state === 'active' ? formatPreview(watch.preview) : []),
  ]
}

/** A line for each run. */
export const formatRuns = (runs: readonly WatchRun[]): string[] =>
  runs.map(({ dueAt, trigger, skipped, jobId, status, credits, requestsCreated }) => {
    const why = skipped === 'no_credits' ? 'skipped: nothing pays for it' : 'skipped: the run before had not ended'
    const what =
      skipped === null
        ? `${printable(status ?? '')}  ${count(requestsCreated, 'new request')}, ${count(credits, 'credit')}  job ${printable(jobId ?? '')}`
        : why
    return `${moment(dueAt)}  ${trigger === 'manual' ? 'by hand   ' : 'scheduled '} ${what}`
  })
