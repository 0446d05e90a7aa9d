import type { Command } from 'commander'
import { searchOrders } from '../requests/search/orders.ts'
import type { SearchRequest } from './api-types.ts'
import { collectValues, commaList, dateHelp, sortOption, wholeNumber } from './options.ts'
import { printable, shellWord } from './text.ts'

/** The options of a search that select and order its results. */
export interface NarrowingOptions {
  platforms?: string[]
  topic?: string
  tag?: string[]
  minVotes?: number
  since?: string
  until?: string
  sort?: string
  prefix: boolean
}

export const addNarrowingOptions = (command: Command): Command =>
  command
    .option(
      '--platforms <names>',
      'comma list: only requests of these platforms; with --expand, the platforms to collect from',
      commaList,
    )
    .option('--topic <topic>', 'only requests of this topic')
    .option(
      '--tag <tag>',
      'only requests with this tag; may be repeated, then requests must have all of them',
      collectValues,
    )
    .option('--min-votes <votes>', 'only requests with at least so many votes', wholeNumber(0, 2_147_483_647))
    .option('--since <date>', dateHelp.since)
    .option('--until <date>', dateHelp.until)
    .addOption(sortOption(searchOrders, 'best match, most voted (also top) or newest first'))
    .option('--prefix', 'the last word also matches longer words that begin with it', false)

type Defined<T> = { [K in keyof T]?: Exclude<T[K], undefined> }

/** Removes the fields that were not given. */
export const defined = <T extends object>(fields: T): Defined<T> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Defined<T>

/** The options in the form of the API. The platforms of an expanded search are those that it collects from. */
export function toBody(
  { platforms, topic, tag: tags, minVotes, since, until, sort, prefix }: NarrowingOptions,
  expand: boolean,
): Omit<SearchRequest, 'query'> & { platforms?: string[] } {
  const filters = defined({ platforms: expand ? undefined : platforms, topic, tags, minVotes, since, until })
  return {
    ...(expand && platforms ? { platforms } : {}),
    ...(Object.keys(filters).length === 0 ? {} : { filters }),
    ...(sort === undefined ? {} : { sortBy: sort }),
    ...(prefix ? { prefix } : {}),
  }
}

/** The options as a part of a shell command, each followed by a space. */
export function toArguments(options: NarrowingOptions): string {
  const { platforms, topic, tag = [], minVotes, since, until, sort, prefix } = options
  const named = { platforms: platforms?.join(','), topic, 'min-votes': minVotes, since, until, sort }
  const given = [...Object.entries(named), ...tag.map((one) => ['tag', one] as const)]
  const shown = given.flatMap(([name, value]) =>
    value === undefined ? [] : `--${name}=${shellWord(printable(`${value}`))} `,
  )
  return [...shown, prefix ? '--prefix ' : ''].join('')
}
