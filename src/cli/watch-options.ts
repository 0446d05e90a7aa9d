import type { Command } from 'commander'
import { collectSource, collectValues, commaList, dateHelp, defined, wholeNumber } from './options.ts'
import { includeOption, statusHelp } from './search-options.ts'
import type { WatchFields } from './watch-calls.ts'

const maxCredits = 1_000_000_000

/** The options that say when a watch runs and what it collects. */
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

/** The options that say what is told, and to whom. */
export const addTelling = (command: Command): Command =>
  command
    .option('--goal <text>', 'what fits, in your words; other news are on a second list')
    .option('--channel <channelId>', 'a channel that is told of its news; may be repeated', collectValues)
    .option('--reports-quiet', 'send a report without news, too')
    .option('--tag <tag>', 'only requests with this tag are news; may be repeated', collectValues)
    .option('--min-votes <votes>', 'only requests with at least so many votes are news', wholeNumber(0, 2_147_483_647))
    .option('--since <date>', dateHelp.since)
    .option('--until <date>', dateHelp.until)
    .addOption(includeOption())
    .option('--status <statuses>', statusHelp, commaList)

/** The `--no-` options are true unless they are given, or false. */
export interface TermsOptions {
  schedule?: string
  timezone?: string
  platforms?: string[]
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
  tag?: string[]
  minVotes?: number
  since?: string
  until?: string
  include?: string
  status?: string[]
  json: boolean
}

const isGiven = (value: unknown): boolean => value !== undefined

/** The options in the form of the API: only what was given. */
export function fieldsOf(options: TermsOptions): WatchFields {
  const { schedule, timezone, platforms, source, depth, credits: monthlyCredits, name, channel, reportsQuiet } = options
  const { tag: tags, minVotes, since, until, include, status } = options
  const filters = defined({ tags, minVotes, since, until, include, status })
  const goal = options.goal === false ? null : options.goal === true ? undefined : options.goal
  return {
    ...defined({ name, schedule, timezone, platforms, depth, monthlyCredits, goal, reportsQuiet }),
    ...(options.sources === false ? { sources: null } : source ? { sources: source } : {}),
    ...(options.channels === false ? { channels: [] } : channel ? { channels: channel } : {}),
    ...(options.filters === false || Object.values(filters).some(isGiven) ? { filters } : {}),
  }
}
