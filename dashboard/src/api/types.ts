import type { components, operations } from '../../../client/api.d.ts'

// What is sent and answered, as the OpenAPI document says it. Only the events of streams are described here: the document has none.

type Operation = keyof operations
/** The whole answer of an operation. */
type AnswerOf<Name extends Operation> = operations[Name] extends {
  responses: { 200: { content: { 'application/json': infer Answer } } }
}
  ? Answer
  : never
type DataOf<Name extends Operation> = AnswerOf<Name> extends { data: infer Data } ? Data : never
type BodyOf<Name extends Operation> = operations[Name] extends {
  requestBody: { content: { 'application/json': infer Body } }
}
  ? Body
  : never
type QueryOf<Name extends Operation> = NonNullable<operations[Name]['parameters']['query']>

export type ErrorBody = components['schemas']['Error']
export type Session = DataOf<'readSession'>

// Accounts and credits.
export type Account = DataOf<'listAccounts'>['results'][number]
export type Tier = Account['tier']
export type ApiKey = DataOf<'listKeys'>['results'][number]
export type MadeByKey = DataOf<'listMadeByKey'>
export type KeyScope = ApiKey['scope']
export type NewKey = BodyOf<'createKey'>
/** With the key itself, this once. */
export type MadeKey = DataOf<'createKey'>
export type PackName = BodyOf<'grantPack'>['pack']
/** With `days` also what is asked for by day, with a month or a week by key and by watch. */
export type UsageQuery = QueryOf<'readUsage'>
export type UsageRecord = DataOf<'readUsage'>
export type DailyUsage = NonNullable<UsageRecord['days']>[number]
/** What was used in a period. `from` and `until` are moments. */
export type PeriodSpending = NonNullable<UsageRecord['spenders']>
export type StatementEntry = DataOf<'listUsageEntries'>['results'][number]
export type Difference = DataOf<'verifyLedger'>['differences'][number]

// Platforms and jobs.
export type PlatformStatus = DataOf<'listPlatforms'>['results'][number]
export type PlatformName = PlatformStatus['platform']
/** `maxCredits` is the cost that the form shows: the job is refused when it would cost more. */
export type NewJob = BodyOf<'startScrapeJob'> & { maxCredits: number }
export type Job = DataOf<'cancelScrapeJob'>
/** A job with what it costs, and who started it. */
export type PaidJob = DataOf<'readScrapeJob'>
export type ListedJob = DataOf<'listScrapeJobs'>['results'][number]
/** A job in the operator's list. */
export type OperatorJob = DataOf<'listAllScrapeJobs'>['results'][number]
export type JobStatus = Job['status']
type JobError = NonNullable<Job['errors']>[number]
export type PlatformErrorCode = JobError['code']
export type DiscardReason = keyof Job['tasks'][number]['discarded']

/** An event of a job: the progress of one of its platforms. */
export type PlatformProgress = Job['tasks'][number] & {
  state: Job['progress'][string]
  /** Null while it does not wait for its platform. */
  waitingUntil: string | null
  /** Why it ended, waits or tries again. */
  error: Pick<JobError, 'code' | 'message'> | null
}

// Requests and searches.
export type RequestRecord = components['schemas']['Request']
export type RequestStatus = NonNullable<RequestRecord['status']>
export type SearchInput = BodyOf<'searchRequests'>
export type SearchFilters = NonNullable<SearchInput['filters']>
export type SearchOrder = NonNullable<SearchInput['sortBy']>
export type Include = NonNullable<SearchInput['include']>
/** The filters of the list of requests. */
export type ListInput = QueryOf<'listRequests'>
/** The parameters of an export: of a list, or with `query` of a search. */
export type ExportInput = QueryOf<'exportRequests'>
type Found = AnswerOf<'searchRequests'>
/** A search that is not grouped by wish finds requests. */
export type FoundRequest = Extract<Found['data']['results'][number], { _id: string }>
export type Highlight = NonNullable<FoundRequest['highlights']>[number]
export type SearchMeta = Found['meta']
export type SearchAnswer = Found & { data: { results: FoundRequest[] } }
export type CollectionError = NonNullable<SearchMeta['errors']>[number]

/** An event of a search: the progress of the live collection of one topic on one platform. */
export interface CollectionProgress {
  topic: string
  platform: string
  state: 'waiting' | 'done' | 'error' | 'skipped' | 'fresh'
  newRequests: number
}

// Topics and wishes.
export type SimilarRequests = DataOf<'listSimilarRequests'>
export type WishDetail = DataOf<'readWish'>
export type TopicSummary = DataOf<'listTopics'>['results'][number]
export type TopicOrder = NonNullable<QueryOf<'listTopics'>['sortBy']>
export type TopicPage = DataOf<'readTopic'>
export type TopicWish = TopicPage['wishes'][number]

// Watches and news.
export type Watch = components['schemas']['Watch']
export type ListedWatch = components['schemas']['ListedWatch']
export type WatchRun = DataOf<'listWatchRuns'>['results'][number]
export type WatchPreview = Watch['preview']
/** What a run collects, and when, as the form says it. */
export type RunTerms = BodyOf<'previewWatch'> & { timezone: string }
export type WatchSettings = BodyOf<'createWatch'>
export type WatchNews = DataOf<'readNews'>['results'][number]
export type NewsSection = keyof WatchNews['totals']
export type NewsItem = WatchNews['grown'][number]

// Channels and feeds.
export type Channel = components['schemas']['Channel']
export type ChannelType = Channel['type']
export type ChannelCadence = Channel['cadence']
export type ChannelEvent = NonNullable<NewChannel['events']>[number]
export type NewChannel = BodyOf<'createChannel'>
/** With the signing secret of a webhook, this once. */
export type MadeChannel = DataOf<'createChannel'>
/** A type of channels, and why the service does not offer it. */
export type OfferedType = DataOf<'listChannels'>['types'][number]
export type Delivery = DataOf<'listDeliveries'>['results'][number]
export type Feed = DataOf<'listFeeds'>['results'][number]
export type FeedTarget = BodyOf<'createFeed'>
/** With its address, this once. */
export type MadeFeed = DataOf<'createFeed'>
