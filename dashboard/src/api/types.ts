import type { components } from '../../../client/api.d.ts'
import type { Answer, Body, Data, Query } from '../../../client/types.ts'

// What is sent and answered, as the OpenAPI document says it. Only the events of streams are described here: the document has none.

export type ErrorBody = components['schemas']['Error']
export type Session = Data<'readSession'>

// Accounts and credits.
export type Account = Data<'listAccounts'>['results'][number]
export type Tier = Account['tier']
export type ApiKey = Data<'listKeys'>['results'][number]
export type MadeByKey = Data<'listMadeByKey'>
export type KeyScope = ApiKey['scope']
export type NewKey = Body<'createKey'>
/** With the key itself, this once. */
export type MadeKey = Data<'createKey'>
export type PackName = Body<'grantPack'>['pack']
/** With `days` also what is asked for by day, with a month or a week by key and by watch. */
export type UsageQuery = Query<'readUsage'>
export type UsageRecord = Data<'readUsage'>
export type DailyUsage = NonNullable<UsageRecord['days']>[number]
/** What was used in a period. `from` and `until` are moments. */
export type PeriodSpending = NonNullable<UsageRecord['spenders']>
/** What one collection cost, and who began it. */
export type PaidCollection = Data<'listCollections'>['results'][number]
export type StatementEntry = Data<'listUsageEntries'>['results'][number]
export type Difference = Data<'verifyLedger'>['differences'][number]

// One's own feedback.
export type ImportQuery = Query<'importFeedback'>
export type ImportResult = Data<'importFeedback'>

// Platforms and jobs.
export type PlatformStatus = Data<'listPlatforms'>['results'][number]
export type PlatformName = PlatformStatus['platform']
/** Also of what was imported. */
export type StoredPlatform = NonNullable<NonNullable<Body<'searchRequests'>['filters']>['platforms']>[number]
/** `maxCredits` is the cost that the form shows: the job is refused when it would cost more. */
export type NewJob = Body<'startScrapeJob'> & { maxCredits: number }
export type Job = Data<'cancelScrapeJob'>
/** A job with what it costs, and who started it. */
export type PaidJob = Data<'readScrapeJob'>
export type ListedJob = Data<'listScrapeJobs'>['results'][number]
/** A job in the operator's list. */
export type OperatorJob = Data<'listAllScrapeJobs'>['results'][number]
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
export type SearchInput = Body<'searchRequests'>
export type SearchFilters = NonNullable<SearchInput['filters']>
export type Include = NonNullable<SearchInput['include']>
/** The filters of the list of requests. */
export type ListInput = Query<'listRequests'>
/** The parameters of an export: of a list, or with `query` of a search. */
export type ExportInput = Query<'exportRequests'>
type Found = Answer<'searchRequests'>
export type FoundWish = Extract<Found['data']['results'][number], { bestMatch: object }>
/** A request, where it is a result with what of it matched. */
export type FoundRequest = FoundWish['bestMatch']
export type Highlight = NonNullable<FoundRequest['highlights']>[number]
export type SearchMeta = Found['meta']
export type SearchAnswer = Omit<Found, 'data'> & { data: Omit<Found['data'], 'results'> & { results: FoundWish[] } }
export type CollectionError = NonNullable<SearchMeta['errors']>[number]

/** An event of a search: the progress of the live collection of one topic on one platform. */
export interface CollectionProgress {
  topic: string
  platform: string
  state: 'waiting' | 'done' | 'error' | 'skipped' | 'fresh'
  newRequests: number
}

// Topics and wishes.
/** What the matches are counted by. */
export type FacetName = NonNullable<SearchInput['facets']>[number]
export type Facets = Partial<Record<FacetName, { value: string; count: number }[]>>
export type Wish = Data<'listWishes'>['results'][number]
export type WishListInput = Query<'listWishes'>
export type WishMark = Wish['mark']
export type MarkChange = Body<'markWish'>
/** A merge, a split, or that two are not the same. */
export type WishCorrection = Body<'correctWishes'>
/** One that was made, with what it is undone by. */
export type MadeCorrection = Data<'listWishCorrections'>['results'][number]
export type WishTrend = Data<'readWishTrends'>['wishes'][number]
export type Changes = Data<'readChanges'>
/** How many of what is shown and hidden are requests. */
export type Accuracy = Data<'getAccuracy'>
export type AccuracyEstimate = components['schemas']['AccuracyEstimate']
export type Suggestion = Data<'listWishSuggestions'>['results'][number]
export type WishDetail = Data<'readWish'>
export type TopicSummary = Data<'listTopics'>['results'][number]
export type TopicOrder = NonNullable<Query<'listTopics'>['sortBy']>

// Watches and news.
export type Watch = components['schemas']['Watch']
export type ListedWatch = components['schemas']['ListedWatch']
export type WatchRun = Data<'listWatchRuns'>['results'][number]
export type WatchPreview = Watch['preview']
/** What a run collects, and when, as the form says it. */
export type RunTerms = Body<'previewWatch'> & { timezone: string }
export type WatchSettings = Body<'createWatch'>
export type NewsKind = NonNullable<WatchSettings['mutedNews']>[number]
export type WatchNews = Data<'readNews'>['results'][number]
export type NewsSection = keyof WatchNews['totals']
export type NewsItem = WatchNews['grown'][number]

// Channels and feeds.
export type Channel = components['schemas']['Channel']
export type ChannelType = Channel['type']
export type ChannelCadence = Channel['cadence']
export type ChannelEvent = NonNullable<NewChannel['events']>[number]
export type NewChannel = Body<'createChannel'>
/** With the signing secret of a webhook, this once. */
export type MadeChannel = Data<'createChannel'>
/** A type of channels, and why the service does not offer it. */
export type OfferedType = Data<'listChannels'>['types'][number]
export type Delivery = Data<'listDeliveries'>['results'][number]
export type Feed = Data<'listFeeds'>['results'][number]
export type FeedTarget = Body<'createFeed'>
/** With its address, this once. */
export type MadeFeed = Data<'createFeed'>

// Trackers and pushes.
export type Tracker = components['schemas']['Tracker']
export type NewTracker = Body<'createTracker'>
/** With the secret of a webhook, this once. */
export type MadeTracker = Data<'createTracker'>
export type Push = components['schemas']['Push']

// Saved views, sharing and people.
/** The words, filters and order of a list of wishes. */
export type ListView = components['schemas']['ListView']
export type SavedView = components['schemas']['SavedView']
export type NewSavedView = Body<'createView'>
export type NewShare = Body<'createShare'>
/** A wish, a topic, a list or a brief. */
export type ShareTarget = Pick<NewShare, 'wishId' | 'topic' | 'view' | 'briefId'>
export type Share = Data<'listShares'>['results'][number]
/** An invitation, or who came in by it. */
export type PersonLink = Data<'listLinks'>['results'][number]

// Briefs.
export type NewBrief = Body<'createBrief'>
/** What a brief is made of. */
export type BriefTarget = Pick<NewBrief, 'topic' | 'query' | 'filters' | 'watchId'>
export type BriefSummary = Data<'listBriefs'>['results'][number]
export type Verification = Data<'verifyBrief'>

// The operator's home.
export type Overview = Data<'readOverview'>

// Deleting requests.
export type Purge = Body<'purgeRequests'>
export type Purged = Data<'purgeRequests'>
