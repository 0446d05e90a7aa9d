import type { NewsKind, PlatformName, PlatformStatus, RunTerms, Watch, WatchSettings } from '../api/types.ts'
import { chosenAtFirst, depthAtFirst } from '../collect/prefilled.ts'
import { namedSources, type SourceTexts, sourcesAtFirst } from '../collect/source-fields.tsx'
import { isTopic } from '../search/view.ts'
import { isTimeZone, ownTimeZone } from '../shell/format.ts'
import { dailyTimeOf } from './schedule.ts'

/** The schedules that have a word; any other is a cron expression. */
export const presets = ['hourly', 'daily', 'weekly', 'monthly'] as const
export type Preset = (typeof presets)[number]
const isPreset = (text: string): text is Preset => (presets as readonly string[]).includes(text)

/** The runs of a month of 31 days, for a budget that pays for all of them. */
const runsAMonth: Readonly<Record<Preset | 'cron', number>> = {
  hourly: 744,
  daily: 31,
  weekly: 5,
  monthly: 1,
  cron: 31,
}
const maxBudget = 1_000_000_000

/** What the form of a watch holds. */
export interface Draft {
  topic: string
  name: string
  platforms: PlatformName[]
  sources: SourceTexts
  depth: number
  preset: Preset | 'cron'
  /** Of a daily or weekly run; null: when the service chooses. */
  hour: number | null
  /** Of a weekly run at an hour; 0 is Sunday. */
  weekday: number
  /** Of a run at an hour, any: not all watches ask the platforms at once. */
  minute: number
  cron: string
  timezone: string
  /** As typed; null: what all runs of a month may cost. */
  budget: string | null
  goal: string
  channels: string[]
  reportsQuiet: boolean
  mutedNews: NewsKind[]
  /** A new watch runs once at the start. */
  runsNow: boolean
}

export type DraftFault = 'topic' | 'platforms' | 'cron' | 'timezone' | 'budget'

const begin = (text: string | null, length: number) => [...(text ?? '')].slice(0, length).join('')

/** A new watch, as the parameters of the address say. */
export function draftOfAddress(platforms: PlatformStatus[], prefilled: URLSearchParams, channels: string[]): Draft {
  return {
    topic: begin(prefilled.get('topic'), 100),
    name: '',
    platforms: chosenAtFirst(platforms, prefilled),
    sources: sourcesAtFirst(platforms, prefilled),
    depth: depthAtFirst(prefilled),
    preset: 'weekly',
    hour: 8,
    weekday: 1,
    minute: Math.floor(Math.random() * 60),
    cron: '',
    timezone: ownTimeZone(),
    budget: null,
    goal: '',
    channels,
    reportsQuiet: false,
    mutedNews: [],
    runsNow: true,
  }
}

type Times = Pick<Draft, 'preset' | 'hour' | 'weekday' | 'minute' | 'cron'>

/** What the form says of a schedule. */
function timesOf(schedule: string): Times {
  const times = { hour: null, weekday: 1, minute: 0, cron: '' }
  if (isPreset(schedule)) return { ...times, preset: schedule }
  const daily = dailyTimeOf(schedule)
  if (daily === null) return { ...times, preset: 'cron', cron: schedule }
  const { weekday, ...at } = daily
  return weekday === null ? { ...times, ...at, preset: 'daily' } : { ...times, ...at, weekday, preset: 'weekly' }
}

/** Whether an hour can be chosen. */
export const hasHour = ({ preset }: Pick<Draft, 'preset'>): boolean => preset === 'daily' || preset === 'weekly'

function scheduleOf({ preset, hour, weekday, minute, cron }: Times): string {
  if (preset === 'cron') return cron.trim().split(/ +/).join(' ')
  if (hour === null || !hasHour({ preset })) return preset
  return `${minute} ${hour} * * ${preset === 'weekly' ? weekday : '*'}`
}

export const draftOfWatch = (watch: Watch): Draft => ({
  topic: watch.topic,
  name: watch.name,
  platforms: watch.platforms as PlatformName[],
  sources: Object.fromEntries(Object.entries(watch.sources ?? {}).map(([name, named]) => [name, named.join(', ')])),
  depth: watch.depth,
  ...timesOf(watch.schedule),
  timezone: watch.timezone,
  budget: String(watch.monthlyCredits),
  goal: watch.goal ?? '',
  channels: watch.channelIds,
  reportsQuiet: watch.reportsQuiet,
  mutedNews: watch.mutedNews,
  runsNow: false,
})

/** What one run costs at most. */
export const runCost = ({ depth, platforms }: Pick<Draft, 'depth' | 'platforms'>): number => depth * platforms.length

export const budgetOf = (draft: Draft): number =>
  draft.budget === null ? Math.max(1, runCost(draft) * runsAMonth[draft.preset]) : Number(draft.budget)

const isBudget = (draft: Draft): boolean => {
  const budget = budgetOf(draft)
  return Number.isSafeInteger(budget) && budget >= Math.max(1, runCost(draft)) && budget <= maxBudget
}

const hasFiveParts = (text: string) => text.trim().split(/ +/).length === 5

/** The first thing that must be mended; null when nothing must. The service checks all of it again. */
export function faultOf(draft: Draft): DraftFault | null {
  if (!isTopic(draft.topic)) return 'topic'
  if (draft.platforms.length === 0) return 'platforms'
  if (draft.preset === 'cron' && !hasFiveParts(draft.cron)) return 'cron'
  if (!isTimeZone(draft.timezone)) return 'timezone'
  return isBudget(draft) ? null : 'budget'
}

/** When it runs and what it collects; null while that cannot be said. */
export function termsOf(draft: Draft): RunTerms | null {
  const fault = faultOf(draft)
  if (fault !== null && fault !== 'budget') return null
  const sources = namedSources(draft.sources, draft.platforms)
  return {
    topic: draft.topic.trim(),
    platforms: draft.platforms,
    ...(sources === undefined ? {} : { sources }),
    depth: draft.depth,
    schedule: scheduleOf(draft),
    timezone: draft.timezone,
    ...(fault === null ? { monthlyCredits: budgetOf(draft) } : {}),
  }
}

/** All that the form says; null while something must be mended. */
export function settingsOf(draft: Draft): WatchSettings | null {
  const terms = faultOf(draft) === null ? termsOf(draft) : null
  if (terms === null) return null
  return {
    ...terms,
    name: draft.name.trim() === '' ? terms.topic : draft.name.trim(),
    monthlyCredits: budgetOf(draft),
    goal: draft.goal.trim() === '' ? null : draft.goal.trim(),
    channelIds: draft.channels,
    reportsQuiet: draft.reportsQuiet,
    mutedNews: draft.mutedNews,
  }
}
