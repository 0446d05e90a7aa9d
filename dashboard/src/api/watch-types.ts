import type { Static } from 'typebox'
import type { watchNews } from '../../../src/news/schemas.ts'
import type { WatchRun as StoredRun } from '../../../src/watches/history.ts'
import type { WatchPreview } from '../../../src/watches/preview.ts'
import type { listedWatch, previewAnswer } from '../../../src/watches/schemas.ts'
import type { PlatformName } from './types.ts'

// What the service says of watches and news, by its own types.

export type { WatchPreview }

export type Preview = Static<typeof previewAnswer>['data']
export type WatchRun = StoredRun
export type ListedWatch = Static<typeof listedWatch>
export type Watch = ListedWatch & { preview: WatchPreview }
export type WatchNews = Static<typeof watchNews>
export type NewsSection = keyof WatchNews['totals']
export type NewsItem = WatchNews['grown'][number]

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
