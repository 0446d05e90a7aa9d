import type { Static } from 'typebox'
import type { listKeys } from '../../../src/accounts/account-keys.ts'
import type { Spending } from '../../../src/credits/spending.ts'
import type { StatementEntry } from '../../../src/credits/statement.ts'
import type { CreditUsage, DailyUsage, Usage } from '../../../src/credits/usage.ts'
import type { verifyLedger } from '../../../src/credits/verify.ts'
import type {
  DiscardReason,
  KeyScope,
  PackName,
  PlatformErrorCode,
  PlatformName,
  RequestStatus,
  Tier,
} from '../../../src/database/column-types.ts'
import type { errorBody } from '../../../src/http/schemas.ts'
import type { PlatformStatus } from '../../../src/platforms/status.ts'
import type { RequestRecord } from '../../../src/requests/record.ts'
import type { Include } from '../../../src/requests/views/include.ts'
import type { PlatformProgress } from '../../../src/scraping/job-events.ts'
import type { ListedJob } from '../../../src/scraping/job-list.ts'
import type { jobSchema } from '../../../src/scraping/job-schema.ts'
import type { TopicWish } from '../../../src/topics/topic-wishes.ts'
import type { WishDetail } from '../../../src/wishes/detail.ts'

// The answers of the service, by its own types: only types are imported, so no code of the service is in the page.

export type {
  CreditUsage,
  DailyUsage,
  DiscardReason,
  Include,
  KeyScope,
  ListedJob,
  PackName,
  PlatformErrorCode,
  PlatformName,
  PlatformProgress,
  PlatformStatus,
  RequestRecord,
  RequestStatus,
  StatementEntry,
  Tier,
  TopicWish,
  WishDetail,
}

export type ErrorBody = Static<typeof errorBody>
export type Job = Static<typeof jobSchema>
/** A job with what it costs, and who started it. */
export type PaidJob = Job & Pick<ListedJob, 'credits' | 'startedBy'>
export type JobStatus = Job['status']
export type TaskState = Job['progress'][string]

/** A value after JSON: dates are strings. */
type Sent<T> = T extends Date ? string : T extends object ? { [K in keyof T]: Sent<T[K]> } : T

export type ApiKey = Sent<Awaited<ReturnType<typeof listKeys>>[number]>
export type Difference = Awaited<ReturnType<typeof verifyLedger>>[number]

export interface UsageRecord extends Usage {
  rateLimit: { requestsPerMinute: number }
  days?: DailyUsage[]
  spenders?: PeriodSpending
}

/** What was used in a period. `from` and `until` are moments. */
export type PeriodSpending = Spending & { from: string; until: string }

/** A part of a list, and its cursor. */
export interface Paged {
  hasMore: boolean
  cursor: string | null
}

export interface SessionAccount {
  accountId: string
  name: string
  tier: Tier
  scope: 'read' | 'collect' | 'manage'
}

export interface Session {
  kind: 'account' | 'operator'
  csrfToken: string
  account: SessionAccount | null
}

export interface Highlight {
  field: 'title' | 'description' | 'tags' | 'author'
  /** A part of the field. */
  text: string
  /** The matches, as UTF-16 offsets into `text`. */
  ranges: [start: number, end: number][]
}

/**
 * `descriptionTruncated`: `description` is only the beginning; a call by id returns the whole. `matchedBy`: it has the words, but not all
 * phrases of the query.
 */
export type FoundRequest = RequestRecord & {
  highlights?: Highlight[]
  descriptionTruncated?: boolean
  matchedBy?: 'words'
}

export interface SearchFilters {
  platforms?: PlatformName[]
  topic?: string
  tags?: string[]
  minVotes?: number
  since?: string
  until?: string
  status?: readonly RequestStatus[]
  include?: Include
}

export type SearchOrder = 'relevance' | 'votes' | 'new'

export interface SearchInput {
  query: string
  limit: number
  offset: number
  sortBy: SearchOrder
  prefix?: boolean
  filters?: SearchFilters
  platforms?: PlatformName[]
}

export interface CollectionError {
  platform: string
  topic: string
  code: string
  message: string
  /** When the platform is called again, if the live call did not wait for it. */
  resumesAt?: string
}

export interface SearchMeta {
  originalQuery: string
  cachedResults: number
  expanded: boolean
  /** How many more matches may be requests. */
  maybeResults: number
  window?: number
  /** How many requests match; at least so many, unless it is exact. */
  total?: number
  totalIsExact?: boolean
  /** How the query was understood. */
  understood: { words: string[]; phrases: string[]; excluded: string[] }
  /** The corrected query whose results these are. */
  didYouMean?: string
  expandedTopics?: string[]
  topicsScraped?: number
  topicsSkipped?: number
  newResultsFound?: number
  scrapingTimeMs?: number
  errors?: CollectionError[]
}

export interface SearchAnswer {
  data: { results: FoundRequest[]; hasMore: boolean; limitReached: boolean }
  meta: SearchMeta
  usage: { credits: CreditUsage }
}

export interface ListAnswer {
  data: { results: RequestRecord[] } & Paged
  usage: { credits: CreditUsage }
}

/** The progress of the live collection of one topic on one platform. */
export interface CollectionProgress {
  topic: string
  platform: string
  state: 'waiting' | 'done' | 'error' | 'skipped' | 'fresh'
  newRequests: number
}

export interface SimilarRequests {
  /** The other members of its wish, then what is possibly the same. */
  results: (RequestRecord & { similarity: number; sameWish: boolean })[]
  votes: number
  requests: number
  platforms: string[]
  wish: RequestRecord['wish']
}

export interface TopicSummary {
  topic: string
  requests: number
  votes: number
  lastCollectedAt: string | null
  /** How many more may be requests. */
  maybeRequests: number
  growth: { days7: number; days30: number }
  tags: { tag: string; requests: number }[]
}

export type TopicOrder = 'new' | 'votes' | 'name'

export interface TopicPage extends TopicSummary {
  platforms: { platform: string; requests: number; votes: number }[]
  timeline: { from: string; requests: number }[]
  wishes: TopicWish[]
}

export interface Account {
  accountId: string
  name: string
  tier: Tier
  paygMonthlyCap: number | null
  createdAt: string
  deletedAt: string | null
}

/** A job in the operator's list. */
export type OperatorJob = ListedJob & { accountId: string; accountName: string }

/** A sign-in link that has not been used yet. */
export interface OpenLink {
  linkId: string
  createdAt: string
  expiresAt: string
}
