import { type Command, Option } from 'commander'
import { searchOrders } from '../requests/search/page.ts'
import type { SearchRequest } from './api-types.ts'
import { collectValues, commaList, wholeNumber } from './options.ts'
import { printable, shellWord } from './text.ts'

/** The options of a search that say what is found and in which order. */
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
    .option('--platforms <names>', 'comma list: only of these platforms; with --expand, collect from these', commaList)
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

type Defined<T> = { [K in keyof T]?: Exclude<T[K], undefined> }

/** Without the fields that were not given. */
export const defined = <T extends object>(fields: T): Defined<T> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Defined<T>

/** The options as the service takes them. An expanded search takes the platforms for those that it collects from. */
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

/** The options as a person can paste them, each followed by a space. */
export function toArguments(options: NarrowingOptions): string {
  const { platforms, topic, tag = [], minVotes, since, until, sort, prefix } = options
  const named = { platforms: platforms?.join(','), topic, 'min-votes': minVotes, since, until, sort }
  const given = [...Object.entries(named), ...tag.map((one) => ['tag', one] as const)]
  const shown = given.flatMap(([name, value]) =>
    value === undefined ? [] : `--${name}=${shellWord(printable(`${value}`))} `,
  )
  return [...shown, prefix ? '--prefix ' : ''].join('')
}
