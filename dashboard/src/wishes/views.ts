import { everything, type View } from '../search/view.ts'
import { wishTexts as texts } from '../texts/wishes.ts'

/** A view by its name, as the list offers it. */
export interface NamedView {
  name: string
  view: View
}

/** The views that everybody has. */
export const standingViews: readonly NamedView[] = [
  { name: texts.views.all, view: everything },
  { name: texts.views.rising, view: { ...everything, sortBy: 'growing' } },
  { name: texts.views.new, view: { ...everything, sortBy: 'new' } },
  { name: texts.views.planned, view: { ...everything, mark: 'planned' } },
  { name: texts.views.done, view: { ...everything, statuses: ['completed'] } },
  { name: texts.views.starred, view: { ...everything, isStarred: true } },
  { name: texts.views.ignored, view: { ...everything, mark: 'ignored' } },
]

const dayMs = 86_400_000
export const dayAgo = (days: number, now = new Date()): string =>
  new Date(now.getTime() - days * dayMs).toISOString().slice(0, 10)

/** One-click periods, in days; null is any time. */
export const periods = [null, 7, 30, 90, 365] as const

/** The one of `periods` that a view has; undefined for other dates. */
export const periodOf = ({ since, until }: View): (typeof periods)[number] | undefined =>
  since === '' && until === ''
    ? null
    : periods.find((days) => days !== null && since === dayAgo(days - 1) && until === '')

/** The same time before a period, to compare with; null where the period has no beginning. */
export function periodBefore({ since, until }: View): { since: string; until: string } | null {
  if (since === '') return null
  const start = Date.parse(since)
  const end = until === '' ? Date.now() : Date.parse(until)
  const days = Math.floor((end - start) / dayMs) + 1
  const day = (moment: number) => new Date(moment).toISOString().slice(0, 10)
  return days < 1 ? null : { since: day(start - days * dayMs), until: day(start - dayMs) }
}
