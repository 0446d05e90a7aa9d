import type { JobStatus, PlatformName, RequestStatus } from './types.ts'

// What the service says of watches, news, channels and feeds.

export type WatchState = 'active' | 'paused' | 'asking'
export type SkipReason = 'no_credits' | 'under_way'

/** The next instants of a schedule, and what it costs at most. */
export interface WatchPreview {
  runs: { at: string; maxCredits: number }[]
  /** Of the next 31 days. */
  month: { runs: number; maxCredits: number; paidRuns: number }
}

export interface WatchRun {
  runId: string
  trigger: 'schedule' | 'manual'
  dueAt: string
  begunAt: string
  skipped: SkipReason | null
  /** Null for a run that was skipped. */
  jobId: string | null
  status: JobStatus | null
  credits: number
  requestsCreated: number
  maybeCreated: number
}

export interface ListedWatch {
  watchId: string
  name: string
  topic: string
  platforms: PlatformName[]
  sources: Record<PlatformName, string[]> | null
  depth: number
  schedule: string
  timezone: string
  monthlyCredits: number
  usedThisMonth: number
  goal: string | null
  filters: Record<string, unknown>
  channels: string[]
  reportsQuiet: boolean
  state: WatchState
  createdAt: string
  nextRunAt: string | null
  lastLookedAt: string
  /** The last run that was due; null before the first one. */
  lastRun: WatchRun | null
}

export type Watch = ListedWatch & { preview: WatchPreview }

/** What a run collects, and when. */
export interface RunTerms {
  topic: string
  platforms: PlatformName[]
  sources?: Record<PlatformName, string[]>
  depth: number
  schedule: string
  timezone: string
  monthlyCredits?: number
}

export interface WatchSettings extends RunTerms {
  name: string
  monthlyCredits: number
  goal: string | null
  channels: string[]
  reportsQuiet: boolean
}

export interface NewsItem {
  wishId: string
  requestId: string
  title: string
  url: string
  votes: number
  votesGained: number
  requestsGained: number
  platforms: string[]
  status: RequestStatus | null
}

export type NewsSection = 'grown' | 'newWishes' | 'completed' | 'declined' | 'other'

export interface WatchNews extends Record<NewsSection, NewsItem[]> {
  watchId: string
  watchName: string
  topic: string
  goal: string | null
  readUntil: string | null
  until: string | null
  reports: number
  hasFirst: boolean
  totals: Record<NewsSection, number>
}
