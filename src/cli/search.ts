import { Command, Option } from 'commander'
import { systemClock } from '../clock.ts'
import type { RequestRecord } from '../requests/record.ts'
import { searchOrders } from '../requests/search/page.ts'
import { createApi, type SearchAnswer, type SearchRequest } from './api.ts'
import { readClientConfig } from './client-config.ts'
import { collectValues, commaList, environmentHelp, wholeNumber } from './options.ts'
import { endWhenNobodyReads, printJson, printLines } from './output.ts'
import { count, firstLine, formatAge, lastArgument, printable, shellWord, shorten } from './text.ts'

const help = `${environmentHelp}

Exit codes: 0 done, also when nothing was found; 1 the service refused; 2 the command line or the environment is wrong;
3 the service cannot be reached; 5 too many requests.

Examples:
  wishwell search dark mode
  wishwell search '"dark mode" -android' --min-votes 10 --sort votes
  wishwell search dark mode --limit 100 --json | jq -r '.data.results[].sourceUrl'`

interface SearchOptions {
  limit?: number
  offset?: number
  platforms?: string[]
  topic?: string
  tag?: string[]
  minVotes?: number
  since?: string
  until?: string
  sort?: string
  prefix: boolean
  json: boolean
}

/** `wishwell search`: searches the cache of a running service. */
export function searchCommand(): Command {
  return new Command('search')
    .description('search the requests that were collected (free)')
    .argument(
      '<query...>',
      'words; any of them may match, the best matches come first; "a phrase" must be there, -word must not',
    )
    .option('--limit <results>', 'most results, 1 to 100 (default: 20)', wholeNumber(1, 100))
    .option('--offset <results>', 'results to leave out, 0 to 99 (default: 0)', wholeNumber(0, 99))
    .option('--platforms <names>', 'only of these platforms, separated by commas', commaList)
    .option('--topic <topic>', 'only of this topic')
    .option(
      '--tag <tag>',
      'only with this tag; may be given several times, and all of them must be there',
      collectValues,
    )
    .option('--min-votes <votes>', 'only with so many votes or more', wholeNumber(0, 2_147_483_647))
    .option('--since <date>', 'only asked on this day or later, YYYY-MM-DD or an ISO 8601 moment')
    .option('--until <date>', 'only asked before this day or moment')
    .addOption(new Option('--sort <order>', 'best, most voted or newest first').choices([...searchOrders]))
    .option('--prefix', 'the last word may be the beginning of one', false)
    .option('--json', 'print only the answer of the service, as one JSON object', false)
    .addHelpText('after', help)
    .showHelpAfterError('(wishwell search --help shows every option)')
    .action(search)
}

type Defined<T> = { [K in keyof T]?: Exclude<T[K], undefined> }

/** Without the fields that were not given. */
const defined = <T extends object>(fields: T) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Defined<T>

function toBody({ platforms, topic, tag: tags, minVotes, since, until, sort, prefix }: Omit<SearchOptions, 'json'>) {
  const filters = defined({ platforms, topic, tags, minVotes, since, until })
  return {
    ...(Object.keys(filters).length === 0 ? {} : { filters }),
    ...(sort === undefined ? {} : { sortBy: sort }),
    ...(prefix ? { prefix } : {}),
  }
}

/** The options as a person can paste them, each followed by a space. */
function toArguments({
  platforms,
  topic,
  tag = [],
  minVotes,
  since,
  until,
  sort,
  prefix,
}: Omit<SearchOptions, 'json'>) {
  const named = { platforms: platforms?.join(','), topic, 'min-votes': minVotes, since, until, sort }
  const given = [...Object.entries(named), ...tag.map((one) => ['tag', one] as const)]
  const shown = given.flatMap(([name, value]) =>
    value === undefined ? [] : `--${name}=${shellWord(printable(`${value}`))} `,
  )
  return [...shown, prefix ? '--prefix ' : ''].join('')
}

async function search(words: string[], { limit, offset, json, ...options }: SearchOptions): Promise<void> {
  endWhenNobodyReads()
  const query = words.join(' ')
  const body: SearchRequest = { query, ...toBody(options), ...defined({ limit, offset }) }
  const answer = await createApi(readClientConfig()).search(body)
  if (json) return printJson(answer)
  const columns = process.stdout.columns ?? pipedColumns
  const layout = { query, ...defined({ limit, offset }), repeated: toArguments(options), columns }
  printLines(formatResults(answer, { ...layout, now: systemClock.now() }))
}

/** A pipe has no width; this keeps whole titles and a good piece of each description. */
const pipedColumns = 200

export interface Layout {
  query: string
  limit?: number
  offset?: number
  /** The other options of the command, to ask for the next page with. */
  repeated?: string
  columns: number
  now: Date
}

const indentation = '     '

function formatResult(request: RequestRecord, position: number, { columns, now }: Layout): string[] {
  const age = request.originalCreatedAt === null ? [] : [formatAge(request.originalCreatedAt, now)]
  const votes = count(request.votes, 'vote')
  const description = firstLine(request.description)
  return [
    shorten(`${String(position).padStart(3)}. ${printable(request.title)}`, columns),
    // Never shortened: half an address is of no use.
    `${indentation}${[votes, printable(request.sourcePlatform), ...age, printable(request.sourceUrl)].join(' · ')}`,
    ...(description === '' ? [] : [shorten(`${indentation}${description}`, columns)]),
    '',
  ]
}

function formatNothing({ query, offset = 0 }: Layout, didYouMean: string | undefined): string[] {
  const words = printable(query)
  if (offset > 0) return [`No results for "${words}" after the first ${offset}.`]
  return [
    `Nothing in the cache matches "${words}".`,
    ...(didYouMean === undefined ? [] : [`Did you mean: wishwell search ${lastArgument(printable(didYouMean))}`]),
    `Collect it from the platforms first (costs credits): wishwell scrape ${lastArgument(words)}`,
  ]
}

/** The answer of a search, for people. */
export function formatResults({ data, meta }: SearchAnswer, layout: Layout): string[] {
  const { results, hasMore, limitReached } = data
  const { query, limit, offset = 0, repeated = '' } = layout
  if (results.length === 0) return formatNothing(layout, meta.didYouMean)
  const lines = results.flatMap((request, index) => formatResult(request, offset + index + 1, layout))
  const end = offset + results.length
  if (meta.window !== undefined) {
    lines.push(`Only the best ${meta.window} matches were looked at; there are more. Add words to reach others.`)
  }
  const range = results.length === 1 ? `Result ${end}` : `Results ${offset + 1} to ${end}`
  if (hasMore) {
    const options = `${repeated}${limit === undefined ? '' : `--limit ${limit} `}--offset ${end}`
    const next = `wishwell search ${options} ${lastArgument(printable(query))}`
    return [...lines, `${range}; there are more: ${next}`]
  }
  if (limitReached) return [...lines, `${range}. More match, but a search gives 100 at most: add or change words.`]
  return [...lines, `${range}; there are no more.`]
}
