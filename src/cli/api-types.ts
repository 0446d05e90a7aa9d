import type { components, operations } from '../../client/api.d.ts'
import type { Spending } from '../credits/spending.ts'
import type { CreditUsage } from '../credits/usage.ts'
import type { CollectionError } from '../live/gathered.ts'
import type { RequestRecord } from '../requests/record.ts'
import type { GroupedResult } from '../requests/search/grouped.ts'
import type { WishSummary } from '../requests/wishes/summary.ts'
import type { ListedJob } from '../scraping/job-list.ts'
import type { TopicSummary } from '../topics/topics.ts'
import type { ListedWishCorrection } from '../wishes/corrections/list.ts'
import type { WishDetail } from '../wishes/detail.ts'
import type { WishMark } from '../wishes/marks/marks.ts'

// What the commands send and read, as the document of the API describes it.

export type Schemas = components['schemas']

/** What an operation answers when it succeeds. */
export type Answer<Id extends keyof operations> = operations[Id] extends {
  responses: { 200: { content: { 'application/json': infer Envelope } } }
}
  ? Envelope
  : never

/** The `data` of such an answer. */
export type Data<Id extends keyof operations> = Answer<Id> extends { data: infer Inner } ? Inner : never

/** The body that an operation takes. The commands send words as they are given: the service knows which of them are valid. */
export type Body<Id extends keyof operations> = operations[Id] extends {
  requestBody: { content: { 'application/json': infer Sent } }
}
  ? Sent
  : never

/** Older services do not say what a job costs, and by whom. */
export type Job = Omit<Data<'readScrapeJob'>, Cost> & Partial<Pick<Data<'readScrapeJob'>, Cost>>
type Cost = 'credits' | 'startedBy'

/** The query of an operation. */
export type Query<Id extends keyof operations> = NonNullable<operations[Id]['parameters']['query']>

export interface Usage {
  credits: CreditUsage
}

/** What an account has of its plan: the answer of `GET /api/v1/usage`. */
export interface AccountUsage {
  tier: string
  credits: CreditUsage & { held: number; resetsAt: string }
  paygBalance: number
  paygMonthlyCap: number | null
  rateLimit: { requestsPerMinute: number }
  days?: { date: string; operation: string; credits: number }[]
  spenders?: PeriodSpending
}

/** What was used in a month, YYYY-MM, or in a week, YYYY-Www. `from` and `until` are moments. */
export type PeriodSpending = Spending & { month?: string; week?: string; from: string; until: string }

export interface ScrapeRequest {
  topic: string
  platforms?: string[]
  /** By platform. */
  sources?: Record<string, string[]>
  depth?: number
}

export interface StartedJob {
  data: Pick<Job, 'jobId' | 'status' | 'topic' | 'sources'> & { platforms: string[]; depth: number }
  usage: Usage
}

/** What an account says about a request: null for nothing. */
export interface CorrectionAnswer {
  data: { requestId: string; isRequest: boolean | null }
}

/** A wish with what the account noted about it. */
export type ListedWish = WishSummary & { mark: WishMark | null }

export type ShownWish = Omit<WishDetail, 'possiblySame'> & { mark: WishMark | null; possiblySame: ListedWish[] }

export interface WishesAnswer {
  data: { results: ListedWish[]; hasMore: boolean; cursor: string | null }
}

/** What is given changes. */
export interface MarkChanges {
  mark?: string | null
  starred?: boolean
  note?: string
}

export interface WishCorrectionsAnswer {
  data: { corrections: ListedWishCorrection[]; hasMore: boolean; cursor: string | null }
}

export interface SearchAnswer {
  data: { results: RequestRecord[]; hasMore: boolean; limitReached: boolean }
  meta: { maybeResults: number; total?: number; totalIsExact?: boolean; window?: number; didYouMean?: string }
  usage: Usage
}

/** The answer of a search with `groupBy`. */
export interface GroupedAnswer extends Omit<SearchAnswer, 'data'> {
  data: Omit<SearchAnswer['data'], 'results'> & { results: GroupedResult[] }
}

export interface SearchRequest {
  query: string
  limit?: number
  offset?: number
  filters?: Record<string, unknown>
  sortBy?: string
  prefix?: boolean
  groupBy?: 'wish'
}

/** The answer of a search with `expand`. */
export interface ExpandedAnswer extends SearchAnswer {
  meta: SearchAnswer['meta'] & {
    expandedTopics: string[]
    topicsScraped: number
    topicsSkipped: number
    newResultsFound: number
    scrapingTimeMs: number
    errors: CollectionError[]
  }
}

export interface TopicAnswer {
  data: { topics: TopicSummary[]; hasMore: boolean; cursor: string | null }
}

export interface JobPage {
  data: { jobs: ListedJob[]; hasMore: boolean; cursor: string | null }
}
