import { type Command, Option } from 'commander'
import { newsKinds } from '../database/tables/watches.ts'
import type { Body } from './api-types.ts'
import { collectSource, collectValues, commaList, dateHelp, defined, wholeNumber } from './options.ts'
import { type FilterOptions, includeOption, statusHelp } from './search-options.ts'

const maxCredits = 1_000_000_000

/** The options for when a watch runs and what it collects. */
export const addTerms = (command: Command): Command =>
  command
    .option('--schedule <schedule>', 'hourly, daily, weekly, monthly or a cron expression of five fields (new: daily)')
    .option('--timezone <name>', 'the time zone of the schedule, such as Europe/Berlin (new: UTC)')
    .option('--platforms <names>', "comma list of platforms (new: the service's own list)", commaList)
    .option(
      '--source <platform:source>',
      'collect only from this public source of a platform, such as a repository; may be repeated',
      collectSource,
    )
    .option(
      '--depth <pages>',
      'pages per platform and run, 1 to 40; each page costs 1 credit (new: 1)',
      wholeNumber(1, 40),
    )
    .option(
      '--credits <credits>',
      'the most credits that all runs of a UTC month cost; what they cannot pay is skipped (new: what the runs of 31 days cost at most, within the plan)',
      wholeNumber(1, maxCredits),
    )

/** `--mute`; the service checks the kinds. */
export const muteOption = (which: string) =>
  new Option('--mute <kinds>', `comma list of kinds of news ${which}: ${newsKinds.join(', ')}`).argParser(commaList)

/** The options for what is told, and to whom. */
export const addTelling = (command: Command): Command =>
  command
    .option('--goal <text>', 'what fits, in your words; other news are on a second list')
    .option('--channel <channelId>', 'a channel that is told of its news; may be repeated', collectValues)
    .option('--reports-quiet', 'send a report without news, too')
    .addOption(muteOption('that it does not tell'))
    .option('--tag <tag>', 'only requests with this tag are news; may be repeated', collectValues)
    .option('--min-votes <votes>', 'only requests with at least so many votes are news', wholeNumber(0, 2_147_483_647))
    .option('--since <date>', dateHelp.since)
    .option('--until <date>', dateHelp.until)
    .addOption(includeOption())
    .option('--status <statuses>', statusHelp, commaList)

type Fields = Omit<Body<'createWatch'>, 'topic'>

/** The `--no-` options default to true. */
export interface TermsOptions extends FilterOptions {
  schedule?: string
  timezone?: string
  platforms?: Fields['platforms']
  source?: Record<string, string[]>
  depth?: number
  credits?: number
  name?: string
  goal?: string | boolean
  channel?: string[]
  channels?: boolean
  sources?: boolean
  filters?: boolean
  reportsQuiet?: boolean
  mute?: Fields['mutedNews'] | false
  json: boolean
}

/** A new watch in the API's form, with given fields only. */
export function fieldsOf(options: TermsOptions): Fields {
  const { schedule, timezone, platforms, source, depth, credits, name, channel, reportsQuiet, mute } = options
  const { tag: tags, minVotes, since, until, include, status } = options
  const filters = defined({ tags, minVotes, since, until, include, status })
  const goal = typeof options.goal === 'string' ? options.goal : undefined
  const terms = { schedule, timezone, platforms, sources: source, depth, monthlyCredits: credits }
  const mutedNews = mute === false ? [] : mute
  const telling = { name, goal, channelIds: channel, reportsQuiet, mutedNews }
  return {
    ...defined({ ...terms, ...telling }),
    ...(Object.keys(filters).length > 0 ? { filters } : {}),
  }
}

/** A watch's changes, including what `--no-` options remove. */
export const changesOf = (options: TermsOptions): Body<'changeWatch'> => ({
  ...(options.filters === false ? { filters: {} } : {}),
  ...fieldsOf(options),
  ...(options.goal === false ? { goal: null } : {}),
  ...(options.sources === false ? { sources: null } : {}),
  ...(options.channels === false ? { channelIds: [] } : {}),
})
