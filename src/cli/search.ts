import { type Command, Option } from 'commander'
import { importTitle } from '../platforms/titles.ts'
import { systemClock } from '../runtime/clock.ts'
import { withStars } from '../wishes/wish-words.ts'
import { answerOf, createApi } from './api.ts'
import type { Answer, Body, Data, Schemas } from './api-types.ts'
import { addJson, clientCommand } from './client-command.ts'
import { type ClientConfig, readClientConfig } from './client-config.ts'
import { formatExpansion, searchExpanded } from './expanded-search.ts'
import { defined, wholeNumber } from './options.ts'
import { exitWhenOutputCloses, noteLines, printJson, printLines, terminalColumns } from './output.ts'
import { formatAge } from './relative-time.ts'
import { addNarrowingOptions, type NarrowingOptions, toArguments, toBody } from './search-options.ts'
import { count, firstLine, lastArgument, printable, shorten } from './text.ts'
import { formatOwn } from './wish-lines.ts'

const help = {
  ok: 'done, also without a result',
  examples: `  wishwell search dark mode
  wishwell search '"dark mode" -android' --min-votes 10 --sort votes
  wishwell search dark mode --group-by wish --sort votes
  wishwell search dark mode --expand
  wishwell search dark mode --include maybe --status planned,completed
  wishwell search dark mode --limit 100 --json | jq -r '.data.results[].sourceUrl'`,
}

interface SearchOptions extends NarrowingOptions {
  limit?: number
  offset?: number
  expand: boolean
  groupBy?: 'wish'
  json: boolean
}

/** `wishwell search`: searches the stored requests of a running service. */
export function searchCommand(): Command {
  const command = clientCommand(
    'search',
    'search the collected requests (free), with --expand also the platforms',
    help,
  )
    .argument(
      '<query...>',
      'words; any of them may match, the best matches come first; a "phrase" is required, -word is excluded',
    )
    .option('--limit <results>', 'maximum of results, 1 to 100 (default: 20)', wholeNumber(1, 100))
    .option('--offset <results>', 'results to skip, 0 to 99 (default: 0)', wholeNumber(0, 99))
    .option('--expand', 'first collect related topics live, and show their progress (costs credits)', false)
    .addOption(
      new Option('--group-by <what>', 'wish: each result is a wish, with the numbers of all its requests').choices([
        'wish',
      ]),
    )
  return addJson(addNarrowingOptions(command)).action(search)
}

async function search(
  words: string[],
  { limit, offset, expand, groupBy, json, ...options }: SearchOptions,
): Promise<void> {
  exitWhenOutputCloses()
  const query = words.join(' ')
  const page = defined({ limit, offset })
  const body = { query, ...toBody(options, expand), ...page, total: true, ...defined({ groupBy }) }
  const config = readClientConfig()
  const layout = {
    query,
    ...page,
    repeated: `${groupBy ? `--group-by ${groupBy} ` : ''}${toArguments(options)}`,
    columns: terminalColumns() ?? pipedColumns,
  }
  if (expand) return showExpanded(body, config, json, layout)
  const answer = await answerOf(createApi(config).POST('/api/v1/requests/search', { body }))
  if (json) return printJson(answer)
  printLines(formatResults(answer, { ...layout, now: systemClock.now() }))
}

/** Shows progress on stderr, and the answer on stdout. */
async function showExpanded(
  body: Body<'searchRequests'>,
  config: ClientConfig,
  json: boolean,
  layout: Omit<Layout, 'now'>,
): Promise<void> {
  // Ctrl-C ends only this process; the service finishes started collections.
  const { signal } = new AbortController()
  const progress = { stream: process.stderr, movesCursor: config.movesCursor, signal }
  const answer = await searchExpanded(createApi(config), body, progress)
  if (json) return printJson(answer)
  noteLines(formatExpansion(answer))
  printLines(formatResults(answer, { ...layout, expand: true, now: systemClock.now() }))
}

/** The width in a pipe: whole titles and part of each description. */
const pipedColumns = 200

export interface Layout {
  query: string
  limit?: number
  offset?: number
  /** The command's other options, for the next page's command. */
  repeated?: string
  expand?: boolean
  columns: number
  now: Date
}

type SearchAnswer = Answer<'searchRequests'>

const indentation = '     '

const likelihoodNames = { likely: [], maybe: ['may be a request'], unlikely: ['probably no request'] } as const

/** A request's status, and its likelihood if not obvious. */
const marksOf = ({ status, likelihood, wish }: Schemas['Request']): string[] => [
  ...(status === null ? [] : [printable(status).replaceAll('_', ' ')]),
  ...likelihoodNames[likelihood],
  ...(wish === null || wish.requestCount <= 1
    ? []
    : [`one of ${count(wish.requestCount, 'request')} for the same, ${count(wish.votes, 'vote')}`]),
  ...(wish?.own && wish.requestCount + wish.own.asks > 1 ? [formatOwn(wish.own)] : []),
]

/** How many results `--include maybe` would add. */
function formatMaybe(
  { maybeResults }: SearchAnswer['meta'],
  { query, expand = false, repeated = '' }: Layout,
): string[] {
  if (maybeResults === 0) return []
  const options = `${expand ? '--expand ' : ''}${repeated}--include=maybe`
  const all = `wishwell search ${options} ${lastArgument(printable(query))}`
  return [
    `${maybeResults.toLocaleString('en-US')} more may be ${maybeResults === 1 ? 'a request' : 'requests'}: ${all}`,
  ]
}

function formatResult(request: Schemas['Request'], position: number, { columns, now }: Layout): string[] {
  const age = request.originalCreatedAt === null ? [] : [formatAge(request.originalCreatedAt, now)]
  const votes = withStars(count(request.votes, 'vote'), request.stars)
  const marks = marksOf(request)
  const description = firstLine(request.description)
  return [
    shorten(`${String(position).padStart(3)}. ${printable(request.title)}`, columns),
    // Never shortened: part of a URL is useless.
    `${indentation}${[votes, printable(importTitle(request) ?? request.sourcePlatform), ...age, ...marks, printable(request.sourceUrl)].join(' · ')}`,
    ...(description === '' ? [] : [shorten(`${indentation}${description}`, columns)]),
    '',
  ]
}

function formatNothing({ query, offset = 0, expand = false }: Layout, didYouMean: string | undefined): string[] {
  const words = printable(query)
  if (offset > 0) return [`No results for "${words}" after the first ${offset}.`]
  if (expand) return [`Neither the stored requests nor the platforms have a match for "${words}".`]
  return [
    `No stored request matches "${words}".`,
    ...(didYouMean === undefined ? [] : [`Did you mean: wishwell search ${lastArgument(printable(didYouMean))}`]),
    `Collect it from the platforms first (costs credits): wishwell scrape ${lastArgument(words)}`,
  ]
}

/** Says that words were corrected. */
const formatCorrection = ({ didYouMean }: SearchAnswer['meta'], query: string): string[] =>
  didYouMean === undefined
    ? []
    : [`Results for "${printable(didYouMean)}", since almost nothing has "${printable(query)}":`, '']

/** Names the words without any match; if they are most, suggests that the language differs. */
function formatUnknown({ understood: { unknown, words } }: SearchAnswer['meta']): string[] {
  if (unknown.length === 0) return []
  const quoted = unknown.map((word) => `"${printable(word)}"`).join(', ')
  const language = 2 * unknown.length > words.length ? ' Are the stored requests in another language?' : ''
  return [`No stored request has ${quoted}.${language}`]
}

/** Names alternative words that were searched, too. */
const formatAlternatives = ({ understood }: SearchAnswer['meta']): string[] =>
  understood.alternatives.map(({ words, others }) => {
    const quoted = others.map((other) => `"${printable(other)}"`)
    return `Also searched for "${printable(words)}": ${quoted.join(', ')}.`
  })

/** How many results have all words, if others have only some. */
function formatTotal({ total, totalIsExact = true }: SearchAnswer['meta'], end: number, isGrouped: boolean): string[] {
  if (total === 0) return ['No stored request has all of the words; these have some.']
  // The total of wishes is unknown.
  if (total === undefined || !totalIsExact || isGrouped || total >= end) return []
  return [`${count(total, 'stored request')} ${total === 1 ? 'has' : 'have'} all of the words; the others have some.`]
}

/** Formats a search's answer. */
export function formatResults({ data, meta }: SearchAnswer, layout: Layout): string[] {
  const { results, hasMore, limitReached } = data
  const { query, limit, offset = 0, expand = false, repeated = '' } = layout
  const maybe = formatMaybe(meta, layout)
  if (results.length === 0) return [...formatNothing(layout, meta.didYouMean), ...formatUnknown(meta), ...maybe]
  const lines = [
    ...formatCorrection(meta, query),
    ...results.flatMap((result, index) =>
      'bestMatch' in result
        ? formatWish(result, offset + index + 1, layout)
        : formatResult(result, offset + index + 1, layout),
    ),
  ]
  const end = offset + results.length
  if (meta.window !== undefined) {
    lines.push(`Among the best ${meta.window} matches; there are more. Add words to reach others.`)
  }
  lines.push(...formatTotal(meta, end, 'bestMatch' in results[0]!), ...formatAlternatives(meta), ...formatUnknown(meta))
  const range = results.length === 1 ? `Result ${end}` : `Results ${offset + 1} to ${end}`
  if (hasMore) {
    const size = limit === undefined ? '' : `--limit ${limit} `
    const options = `${expand ? '--expand ' : ''}${repeated}${size}--offset ${end}`
    const next = `wishwell search ${options} ${lastArgument(printable(query))}`
    return [...lines, `${range}; there are more: ${next}`, ...maybe]
  }
  if (limitReached) {
    return [...lines, `${range}. More match, but a search returns at most 100: add or change words.`, ...maybe]
  }
  return [...lines, `${range}; there are no more.`, ...maybe]
}

type GroupedResult = Extract<Data<'searchRequests'>['results'][number], { bestMatch: unknown }>

/** A wish in search results: title, numbers, id, and its best matching request. */
function formatWish(wish: GroupedResult, position: number, { columns, now }: { columns: number; now: Date }) {
  const { wishId, title, requestCount, votes, own, platforms, status, firstAskedAt, matching, bestMatch } = wish
  const requests = requestCount <= 1 ? [] : [`${count(requestCount, 'request')}, ${matching} match`]
  const facts = [
    withStars(count(votes, 'vote'), bestMatch.stars, requestCount),
    ...requests,
    ...(own === null ? [] : [formatOwn(own)]),
    platforms.map(printable).join(', '),
    ...(status === null ? [] : [printable(status).replaceAll('_', ' ')]),
    `first asked ${formatAge(firstAskedAt, now)}`,
    ...(wishId === null ? ['may be a request'] : [printable(wishId)]),
  ]
  const best = bestMatch.title === title ? '' : `${printable(bestMatch.title)} · `
  return [
    shorten(`${String(position).padStart(3)}. ${printable(title)}`, columns),
    `${indentation}${facts.join(' · ')}`,
    `${indentation}${best}${printable(bestMatch.sourceUrl)}`,
    '',
  ]
}
