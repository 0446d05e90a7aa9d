import { Type } from 'typebox'
import { jobProblems } from '../collecting/scraping/job-schema.ts'
import { type JobTermsBody, type JobTermsDependencies, jobTermsSchema } from '../collecting/scraping/job-terms.ts'
import { jobStatuses } from '../collecting/scraping/jobs.ts'
import { type NewsKind, newsKinds } from '../database/tables/watches.ts'
import { named } from '../http/openapi-components.ts'
import { pageOf } from '../http/pagination.ts'
import { closed, defaulted, moment, nullable, oneOf, openWord, optional, trimmedText } from '../http/schemas.ts'
import { anyPlatform } from '../platforms/schemas.ts'
import { bodyFilters } from '../requests/filters/filters.ts'

export const watchPath = closed({ watchId: Type.String() })

const { topic: _topic, ...filterProperties } = bodyFilters.properties

const schedule = Type.String({
  'x-trim': true,
  minLength: 1,
  maxLength: 100,
  description:
    '`hourly`, `daily`, `weekly`, `monthly`, or a cron expression of five fields whose minute is one number. The words mean a time that the ' +
    'service chooses, the same each time, and at night where it can; see `preview`',
  examples: ['daily', '15 8 * * MON'],
})
const timezone = Type.String({
  minLength: 1,
  maxLength: 64,
  description: 'Of the schedule; a name of IANA',
  examples: ['Europe/Berlin'],
})
const budget =
  'The most that all runs cost in a UTC month: what it cannot pay is skipped. At least one run, depth x platforms'
const monthlyCredits = Type.Integer({ minimum: 1, maximum: 1_000_000_000, description: budget })
const filters = closed(filterProperties, { description: 'Which of the requests are news; the filters of a search' })
const channelIds = Type.Array(Type.String({ maxLength: 100 }), {
  maxItems: 20,
  description: 'The channels that are told of it',
})
const name = trimmedText(1, 100, 'As people call it')
const settings = { name, schedule, monthlyCredits }
const instants = {
  schedule: defaulted(Type.String({ ...schedule, default: 'daily' })),
  timezone: defaulted(Type.String({ ...timezone, default: 'UTC' })),
}
const goal = trimmedText(1, 500, 'What fits, in your words: news that do not are on a second list')
const reportsQuiet = Type.Boolean({ description: 'Whether a report without news is sent, too' })
/** Kinds of news that a watch, or a channel, does not tell. */
export const mutedNews = (description: string) =>
  Type.Array(oneOf(newsKinds), { uniqueItems: true, maxItems: newsKinds.length, description })
const mutedOfWatch = mutedNews('Kinds of news that it does not tell, here or on any channel or feed; they stay known')

export const newWatch = (dependencies: JobTermsDependencies) =>
  closed({
    ...jobTermsSchema(dependencies),
    ...instants,
    name: Type.Optional(trimmedText(1, 100, 'As people call it; without it, the topic')),
    monthlyCredits: Type.Optional(
      Type.Integer({
        ...monthlyCredits,
        description: `${budget}. Without it, what the runs of 31 days cost at most, and never more than the plan gives a month`,
      }),
    ),
    goal: Type.Optional(nullable(goal)),
    filters: Type.Optional(filters),
    channelIds: Type.Optional(channelIds),
    reportsQuiet: Type.Optional(reportsQuiet),
    mutedNews: Type.Optional(mutedOfWatch),
  })

export interface NewWatchBody extends JobTermsBody {
  name?: string
  schedule?: string
  timezone?: string
  monthlyCredits?: number
  goal?: string | null
  filters?: Record<string, unknown>
  channelIds?: string[]
  reportsQuiet?: boolean
  mutedNews?: NewsKind[]
}

export const watchChanges = (dependencies: JobTermsDependencies) => {
  const { platforms, sources } = jobTermsSchema(dependencies)
  return closed(
    {
      ...optional(settings),
      platforms,
      sources: Type.Optional(nullable(sources)),
      // No default: absent fields stay unchanged.
      depth: Type.Optional(Type.Integer({ minimum: 1, maximum: 40, description: 'Pages per platform' })),
      timezone: Type.Optional(timezone),
      goal: Type.Optional(nullable(goal)),
      filters: Type.Optional(filters),
      channelIds: Type.Optional(channelIds),
      reportsQuiet: Type.Optional(reportsQuiet),
      mutedNews: Type.Optional(mutedOfWatch),
      state: Type.Optional(
        oneOf(['active', 'paused'], {
          description:
            '`active` resumes it, also one that asks: it runs at the next instant of its schedule, and the key of this call pays',
        }),
      ),
    },
    { minProperties: 1 },
  )
}

export type WatchChangesBody = Partial<Omit<NewWatchBody, 'topic' | 'sources'>> & {
  sources?: NewWatchBody['sources'] | null
  state?: 'active' | 'paused'
}

export const previewOf = (dependencies: JobTermsDependencies) =>
  closed({
    ...jobTermsSchema(dependencies),
    ...instants,
    monthlyCredits: Type.Optional(monthlyCredits),
  })

export type PreviewBody = JobTermsBody & { schedule?: string; timezone?: string; monthlyCredits?: number }

export const preview = closed(
  {
    runs: Type.Array(closed({ at: moment('When it is due'), maxCredits: Type.Integer() }), {
      description: 'The next five instants of the schedule, and what each run costs at most',
    }),
    month: closed(
      {
        runs: Type.Integer({ description: 'Instants of the schedule' }),
        maxCredits: Type.Integer({ description: 'What they cost at most, bounded by the budget' }),
        paidRuns: Type.Integer({ description: 'How many of them the budget pays for in any case' }),
      },
      { description: 'Of the next 31 days' },
    ),
  },
  { description: 'A page costs one credit; of a run, only pages that were delivered are paid' },
)

export const previewAnswer = closed({
  ...preview.properties,
  comparesGoals: Type.Boolean({
    description: 'Whether this service compares news with goals, which takes a model. If not, a goal changes nothing',
  }),
})

const watchRun = closed(
  {
    runId: Type.String(),
    trigger: oneOf(['schedule', 'manual']),
    dueAt: moment('The instant of the schedule, or of the call'),
    begunAt: moment('When it was begun: later than `dueAt` when the service was down'),
    skipped: nullable(
      oneOf(['no_credits', 'under_way'], {
        description: '`no_credits`: nothing could pay for it; `under_way`: the run before had not ended',
      }),
    ),
    jobId: nullable(Type.String({ description: 'Null for a run that was skipped' })),
    status: nullable(oneOf(jobStatuses)),
    credits: Type.Integer({ description: 'Pages that were delivered so far; each costs one credit' }),
    requestsCreated: Type.Integer(),
    maybeCreated: Type.Integer(),
    problems: jobProblems,
  },
  named('WatchRun'),
)

const watchProperties = {
  watchId: Type.String(),
  name: Type.String(),
  topic: Type.String(),
  platforms: Type.Array(anyPlatform),
  sources: nullable(Type.Record(Type.String(), Type.Array(Type.String()), { description: 'By platform' })),
  depth: Type.Integer({ description: 'Pages per platform' }),
  schedule: Type.String(),
  timezone: Type.String(),
  monthlyCredits: Type.Integer({ description: 'The budget of a UTC month' }),
  usedThisMonth: Type.Integer({ description: 'Credits that its runs used and hold this UTC month' }),
  goal: nullable(Type.String()),
  goalIsCompared: nullable(
    Type.Boolean({
      description:
        'False: this service has no model that compares news with the goal, so all of them fit. Null without a goal',
    }),
  ),
  filters: Type.Record(Type.String(), Type.Unknown()),
  channelIds: Type.Array(Type.String()),
  reportsQuiet: Type.Boolean(),
  mutedNews: Type.Array(openWord(newsKinds, 'A kind of news that it does not tell')),
  state: oneOf(['active', 'paused', 'asking'], {
    description: '`asking`: it does not run until `state` is set to `active`',
  }),
  askingBecause: nullable(
    oneOf(['key_ended', 'not_looked_at'], {
      description:
        'Why it asks: the key that made it or pays for it was revoked or has expired, or nobody has looked at it for 90 days: with the page or a key that may collect, ' +
        'by a feed, or by a delivery that was confirmed; such looks are noted once a day',
    }),
  ),
  createdAt: moment('When it was made'),
  madeBy: nullable(
    Type.String({ description: 'The `keyId` of the key that made it; null for a session that no key opened' }),
  ),
  nextRunAt: nullable(moment('The next instant of its schedule; null while it does not run')),
  lastRun: nullable(watchRun),
}

const listedWatch = closed(watchProperties, named('ListedWatch'))
export const watchRecord = closed({ ...watchProperties, preview }, named('Watch'))
export const watchList = pageOf(listedWatch)

export const watchRunPage = pageOf(watchRun)
export const watchDeleted = closed({ watchId: Type.String() })
