import { counted, type MessageItem, type MessageSection } from '../../../accounts/events/message.ts'
import type { Executor } from '../../../database/open.ts'
import type { NewsKind } from '../../../database/tables/watches.ts'
import { watchLink, wishLink } from '../../../http/addresses.ts'
import { titleOf } from '../../../platforms/registry.ts'
import { goalChangesNothing, notComparedWithGoal } from '../../../watches/news/goal-words.ts'
import { readRise } from '../../../watches/news/read-report.ts'
import { riseInWords, topicRiseInWords } from '../../../watches/news/rise-words.ts'
import type { NewsItem, ShownRise } from '../../../watches/news/shown-items.ts'
import { idIn, type Renderer, statusLabel, untitled } from './renderer.ts'
import { readWatchName } from './watch.ts'

/** A wish in a report, as the account sees it now. */
export type ReportItem = Omit<NewsItem, 'url'>

type SectionName = 'rising' | 'newWishes' | 'grown' | 'completed' | 'declined' | 'other'

/** The part of `readReport` (src/watches/news) that a message needs; `other` is what does not fit the watch's goal. */
export interface Report extends Record<SectionName, readonly ReportItem[]> {
  /** Whether it is the watch's first report, whose content is no news. */
  isFirst: boolean
  topic: string
  /** Set if the topic as a whole rises. */
  topicRise: ShownRise | null
  totals: Record<SectionName, number>
  /** New wishes not compared with the watch's goal. */
  notCompared: number
}

/** Reads a report; null if it was deleted, or nothing of it is left. */
export type ReadReport = (
  executor: Executor,
  input: { reportId: string; publicUrl: string; mutedNews?: readonly NewsKind[] },
) => Promise<Report | null>

const headings: readonly [SectionName, string][] = [
  ['rising', 'Rising'],
  ['newWishes', 'New'],
  ['grown', 'Growing'],
  ['completed', 'Completed'],
  ['declined', 'Declined'],
  ['other', 'Does not fit the goal'],
]

const shownItems = 10

const gained = ({ votesGained, requestsGained }: ReportItem): string[] => [
  ...(votesGained > 0 ? [`+${counted(votesGained, 'vote')}`] : []),
  ...(requestsGained > 0 ? [`+${counted(requestsGained, 'request')}`] : []),
]

function toItem(item: ReportItem, section: SectionName, publicUrl: string): MessageItem {
  const details = [
    ...(section === 'rising' && item.rise !== null ? [riseInWords(item.rise)] : []),
    ...(section === 'grown' ? gained(item) : []),
    counted(item.votes, 'vote'),
    item.platforms.map(titleOf).join(', '),
    ...(section !== 'completed' && section !== 'declined' && item.status !== null ? [statusLabel(item.status)] : []),
  ]
  return {
    title: item.title.trim() === '' ? untitled : item.title,
    url: wishLink(publicUrl, item.wishId),
    detail: details.filter((one) => one !== '').join(' · '),
    excerpt: item.excerpt,
  }
}

function goalNote({ notCompared }: Report, comparesGoals: boolean): { note?: string } {
  if (notCompared === 0) return {}
  return { note: comparesGoals ? notComparedWithGoal(notCompared) : goalChangesNothing }
}

const toSections = (report: Report, comparesGoals: boolean, publicUrl: string): MessageSection[] =>
  headings
    .filter(([name]) => report[name].length > 0)
    .map(([name, heading]) => ({
      heading: report.isFirst && name === 'newWishes' ? 'First look' : heading,
      ...(name === 'newWishes' ? goalNote(report, comparesGoals) : {}),
      items: report[name].slice(0, shownItems).map((item) => toItem(item, name, publicUrl)),
      more: Math.max(0, report.totals[name] - shownItems),
    }))

const maxDataBytes = 64 * 1024

function forPrograms(item: ReportItem, publicUrl: string) {
  const { wishId, requestId, title, votes, votesGained, requestsGained, platforms, status, rise } = item
  const url = wishLink(publicUrl, wishId)
  return { wishId, requestId, title, url, votes, votesGained, requestsGained, platforms, status, rise }
}

/** The lists for programs, with the number of wishes left out to limit their size. */
function dataOf(report: Report, publicUrl: string) {
  let bytes = 0
  let leftOut = 0
  const lists = headings.map(([name]) => {
    const items = report[name].flatMap((item) => {
      const shown = forPrograms(item, publicUrl)
      bytes += Buffer.byteLength(JSON.stringify(shown))
      if (bytes <= maxDataBytes) return [shown]
      leftOut += 1
      return []
    })
    return [name, items] as const
  })
  return { ...Object.fromEntries(lists), leftOut }
}

const summary = ({ totals, isFirst }: Report): string =>
  (
    [
      [totals.rising, '', ' rising'],
      [totals.newWishes, isFirst ? 'first look: ' : '', isFirst ? '' : ' new'],
      [totals.grown, '', ' growing'],
      [totals.completed, '', ' completed'],
      [totals.declined, '', ' declined'],
    ] as const
  )
    .filter(([count]) => count > 0)
    .map(([count, before, after]) => `${before}${count.toLocaleString('en-US')}${after}`)
    .join(', ')

export interface NewsRendering {
  readReport: ReadReport
  comparesGoals: boolean
}

/** Renders a watch's news. An emptied report (all purged or hidden) is told only if the watch tells quiet times. */
export const renderNews =
  ({ readReport, comparesGoals }: NewsRendering): Renderer =>
  async ({ executor, accountId, event: { subject }, publicUrl, mutedNews = [] }) => {
    const [watchId, reportId] = [idIn(subject, 'watchId'), idIn(subject, 'reportId')]
    if (watchId === null || reportId === null) return null
    const watch = await readWatchName(executor, accountId, watchId)
    if (watch === null) return null
    const report = await readReport(executor, { reportId, publicUrl, mutedNews })
    if (report === null) return null
    const sections = toSections(report, comparesGoals, publicUrl)
    if (sections.length === 0 && !watch.reportsQuiet) return null
    const words = summary(report)
    return {
      title: `${watch.name}: ${words === '' ? 'nothing new' : words}`,
      paragraphs: [
        ...(report.topicRise === null ? [] : [topicRiseInWords(report.topic, report.topicRise)]),
        ...(sections.length === 0 ? ['Nothing is new since the last report.'] : []),
      ],
      sections,
      link: { label: 'Open the watch', url: watchLink(publicUrl, watchId) },
      data: {
        watchId,
        watchName: watch.name,
        reportId,
        isFirst: report.isFirst,
        topicRise: report.topicRise,
        totals: report.totals,
        notCompared: report.notCompared,
        ...dataOf(report, publicUrl),
      },
    }
  }

/** Renders that a watch's wish, or its whole topic, rises beyond its own past. */
export const renderRising =
  ({ readReport }: NewsRendering): Renderer =>
  async ({ executor, accountId, event: { subject }, publicUrl }) => {
    const [watchId, reportId, wishId] = ['watchId', 'reportId', 'wishId'].map((name) => idIn(subject, name))
    const watch = watchId ? await readWatchName(executor, accountId, watchId) : null
    if (watch === null || !watchId || !reportId) return null
    if (!wishId) {
      const report = await readReport(executor, { reportId, publicUrl })
      if (report === null || report.topicRise === null) return null
      const { topic, topicRise: rise } = report
      return {
        title: `${watch.name}: its topic is rising`,
        paragraphs: [topicRiseInWords(topic, rise)],
        sections: [],
        link: { label: 'Open the watch', url: watchLink(publicUrl, watchId) },
        data: { watchId, watchName: watch.name, reportId, wishId: null, topic, rise },
      }
    }
    const item = await readRise(executor, { reportId, wishId, publicUrl })
    if (item === null) return null
    const link = wishLink(publicUrl, item.wishId)
    return {
      title: `${watch.name}: a wish is rising`,
      paragraphs: ['More people ask for it than its own past explains.'],
      sections: [{ heading: 'Rising', items: [toItem(item, 'rising', publicUrl)], more: 0 }],
      link: { label: 'Open the wish', url: link },
      data: { watchId, watchName: watch.name, reportId, ...forPrograms(item, publicUrl) },
    }
  }
