import type { Command } from 'commander'
import { systemClock } from '../runtime/clock.ts'
import { topicOrders } from '../wishes/topics/orders.ts'
import { withStars } from '../wishes/wish-words.ts'
import type { Data, Query } from './api-types.ts'
import { addJson, clientCommand, type Json, moreOf, printAnswer } from './client-command.ts'
import { defined, sortOption, wholeNumber } from './options.ts'
import { terminalColumns } from './output.ts'
import { formatAge } from './relative-time.ts'
import { count, countColumns, printable, shorten } from './text.ts'
import { formatOwn, formatPart, formatPlatform } from './wish-lines.ts'

const help = {
  failed: 'the service refused, or has no such topic',
  examples: `  wishwell topics --sort votes
  wishwell topics 'dark mode'`,
}

interface TopicOptions extends Omit<Query<'listTopics'>, 'sortBy'>, Json {
  sort?: Query<'listTopics'>['sortBy']
}

/** `wishwell topics`: the collected topics. */
export function topicsCommand(): Command {
  return addJson(clientCommand('topics', 'list the collected topics, or show one (free)', help))
    .argument('[topic]', 'the topic to show')
    .option('--query <text>', 'only topics whose name contains this text')
    .addOption(sortOption(topicOrders, 'last collected first (new, the default), most voted (also top) or by name'))
    .option('--limit <topics>', 'maximum of topics to show, 1 to 100 (default: 20)', wholeNumber(1, 100))
    .option('--cursor <cursor>', 'continue where an earlier list ended')
    .action((topic: string | undefined, options: TopicOptions) =>
      topic === undefined ? list(options) : show(topic, options),
    )
}

const list = ({ json, ...options }: TopicOptions) => {
  const { sort: sortBy, ...rest } = options
  return printAnswer(
    { json },
    (api) => api.GET('/api/v1/topics', { params: { query: defined({ ...rest, sortBy }) } }),
    ({ data: { results, cursor } }) => {
      const lines = formatTopics(results, { now: systemClock.now(), columns: terminalColumns() })
      return [
        ...(lines.length === 0 && cursor === null ? ['No such topics.'] : lines),
        ...moreOf('topics', options, cursor),
      ]
    },
  )
}

type TopicSummary = Data<'listTopics'>['results'][number]

/** One line: name, numbers, age of the last collection, top tags. */
export function formatTopic(
  { topic, requests, votes, maybeRequests, growth, lastCollectedAt, tags }: TopicSummary,
  now: Date,
): string {
  const facts = [
    count(requests, 'request'),
    count(votes, 'vote'),
    ...(maybeRequests === 0 ? [] : [`${maybeRequests.toLocaleString('en-US')} more may be`]),
    `${growth.days30.toLocaleString('en-US')} new in 30 days`,
    `collected ${formatAge(lastCollectedAt, now)}`,
    ...(tags.length === 0
      ? []
      : [
          tags
            .slice(0, 3)
            .map(({ tag }) => printable(tag))
            .join(', '),
        ]),
  ]
  return `"${printable(topic)}"  ${facts.join(' · ')}`
}

const columnNames = ['topic', 'requests', 'votes', 'new in 30 days', 'collected', 'tags']
const minColumns = 12

/** Topics as a table as wide as the terminal; in a pipe, one line each. @param columns null in a pipe */
function formatTopics(
  topics: readonly TopicSummary[],
  { now, columns }: { now: Date; columns: number | null },
): string[] {
  if (columns === null || topics.length === 0) return topics.map((topic) => formatTopic(topic, now))
  const rows = topics.map(({ topic, requests, votes, growth, lastCollectedAt, tags }) => [
    printable(topic),
    ...[requests, votes, growth.days30].map((amount) => amount.toLocaleString('en-US')),
    formatAge(lastCollectedAt, now),
    tags.map(({ tag }) => printable(tag)).join(', '),
  ])
  const widths = columnNames.map((_, index) =>
    Math.max(...[columnNames, ...rows].map((row) => countColumns(row[index]!))),
  )
  const [name = 0, ...numbers] = widths.slice(0, -1)
  const rest = numbers.reduce((sum, width) => sum + width + 2, 0)
  const nameColumns = Math.max(minColumns, Math.min(name, columns - rest))
  const tagColumns = columns - nameColumns - rest - 2
  return [columnNames, ...rows].map((row) => {
    const cells = row.slice(0, -1).map((cell, index) => {
      const fitted = index === 0 ? shorten(cell, nameColumns) : cell
      const padding = ' '.repeat((index === 0 ? nameColumns : widths[index]!) - countColumns(fitted))
      return index >= 1 && index <= 3 ? padding + fitted : fitted + padding
    })
    const tags = tagColumns < minColumns ? '' : shorten(row.at(-1)!, tagColumns)
    return shorten([...cells, tags].join('  ').trimEnd(), columns)
  })
}

const show = (topic: string, options: TopicOptions) =>
  printAnswer(
    options,
    (api) => api.GET('/api/v1/topics/{topic}', { params: { path: { topic } } }),
    ({ data }) => formatTopicPage(data, { now: systemClock.now(), columns: terminalColumns() ?? pipedColumns }),
  )

/** The width in a pipe: whole titles. */
const pipedColumns = 200

/** Formats a topic: numbers, platforms, most wanted wishes. */
export function formatTopicPage(page: Data<'readTopic'>, { now, columns }: { now: Date; columns: number }): string[] {
  const { statuses, statusUnknown, products, largest } = page.breakdown
  const unknown = statusUnknown.requests === 0 ? [] : [{ status: 'unknown', ...statusUnknown }]
  const ofParts = (title: string, parts: string[]) => (parts.length === 0 ? [] : [`${title} ${parts.join('; ')}`])
  const linesOf = (wishes: typeof page.wishes) =>
    wishes.map(({ request, votes, requests, own, platforms: names, status: ofWish }) => {
      const together = requests === 1 ? '' : `, ${requests} requests on ${names.map(printable).join(', ')}`
      const beside = own === null ? '' : `, ${formatOwn(own)}`
      const status = ofWish === null ? '' : `, ${printable(ofWish).replaceAll('_', ' ')}`
      const title = withStars(printable(request.title), request.stars, requests)
      return shorten(`${String(votes).padStart(7)}  ${title}${status}${together}${beside}`, columns)
    })
  const tagOnly = page.wishes.filter(({ isTagOnly }) => isTagOnly)
  return [
    formatTopic(page, now),
    ...ofParts('On', page.platforms.map(formatPlatform)),
    ...ofParts(
      'By status:',
      [...statuses, ...unknown].map((one) => formatPart(one.status.replaceAll('_', ' '), one)),
    ),
    ...ofParts(
      'By product:',
      products.map((one) => formatPart(one.product, one)),
    ),
    ...(largest === null ? [] : [`The largest request has ${Math.round(100 * largest.share)} % of the votes.`]),
    '',
    'Most wanted (votes of the same wish together):',
    ...linesOf(page.wishes.filter(({ isTagOnly }) => !isTagOnly)),
    ...(tagOnly.length === 0 ? [] : ['', 'Only in tags or the name of the source:', ...linesOf(tagOnly)]),
  ]
}
