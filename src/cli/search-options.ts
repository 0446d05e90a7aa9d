import { type Command, Option } from 'commander'
import { requestStatuses } from '../database/column-types.ts'
import { includes } from '../requests/views/include.ts'
import { searchOrders } from '../search/orders.ts'
import type { Body } from './api-types.ts'
import { collectValues, commaList, dateHelp, defined, sortOption, wholeNumber } from './options.ts'
import { printable, shellWord } from './text.ts'

type Filters = NonNullable<Body<'searchRequests'>['filters']>

/** The filter options of a search and of a watch. */
export interface FilterOptions extends Pick<Filters, 'minVotes' | 'since' | 'until' | 'include' | 'status'> {
  tag?: string[]
}

/** A search's options that select and order results. */
export interface NarrowingOptions extends FilterOptions, Pick<Filters, 'platforms' | 'topic'> {
  product?: string[]
  sort?: Body<'searchRequests'>['sortBy']
  prefix: boolean
}

/** The option `--include` of searches and exports. */
export const includeOption = (): Option =>
  new Option(
    '--include <class>',
    'besides likely requests: maybe adds texts that may be one, all also those that are probably none',
  ).choices(includes)

export const statusHelp = `comma list: only requests with one of these statuses: ${requestStatuses.join(', ')}`

/** The filters of searches and exports. @param platforms the help of that option */
export const addFilterOptions = (command: Command, platforms: string): Command =>
  command
    .option('--platforms <names>', `comma list: only requests of these platforms${platforms}`, commaList)
    .option('--topic <topic>', 'only requests of this topic')
    .option(
      '--product <product>',
      'only requests of this product, such as acme/app or r/android; may be repeated, then of one of them',
      collectValues,
    )
    .option(
      '--tag <tag>',
      'only requests with this tag; may be repeated, then requests must have all of them',
      collectValues,
    )
    .option('--min-votes <votes>', 'only requests with at least so many votes', wholeNumber(0, 2_147_483_647))
    .option('--since <date>', dateHelp.since)
    .option('--until <date>', dateHelp.until)
    .addOption(includeOption())
    .option('--status <statuses>', statusHelp, commaList)

export const addNarrowingOptions = (command: Command): Command =>
  addFilterOptions(command, '; with --expand, the platforms to collect from')
    .addOption(sortOption(searchOrders, 'best match, most voted (also top) or newest first'))
    .option('--prefix', 'the last word also matches longer words that begin with it', false)

/** The options in the API's form. An expanded search takes platforms as those to collect from. */
export function toBody(options: NarrowingOptions, expand: boolean): Omit<Body<'searchRequests'>, 'query'> {
  const { platforms, topic, product, tag, minVotes, since, until, include, status, sort, prefix } = options
  const shared = { topic, products: product, tags: tag, minVotes, since, until, include, status }
  const filters = defined({ platforms: expand ? undefined : platforms, ...shared })
  return {
    // The service knows which platforms can be collected from.
    ...(expand && platforms ? { platforms: platforms as NonNullable<Body<'searchRequests'>['platforms']> } : {}),
    ...(Object.keys(filters).length === 0 ? {} : { filters }),
    ...(sort === undefined ? {} : { sortBy: sort }),
    ...(prefix ? { prefix } : {}),
  }
}

/** The options for a shell command, each followed by a space. */
export function toArguments(options: NarrowingOptions): string {
  const { platforms, topic, product = [], tag = [], minVotes, since, until, include, status, sort, prefix } = options
  const lists = { platforms: platforms?.join(','), status: status?.join(',') }
  const named = { ...lists, topic, 'min-votes': minVotes, since, until, include, sort }
  const repeated = { product, tag }
  const given = [
    ...Object.entries(named),
    ...Object.entries(repeated).flatMap(([name, values]) => values.map((one) => [name, one] as const)),
  ]
  const shown = given.flatMap(([name, value]) =>
    value === undefined ? [] : `--${name}=${shellWord(printable(`${value}`))} `,
  )
  return [...shown, prefix ? '--prefix ' : ''].join('')
}
