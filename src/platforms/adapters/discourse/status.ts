import type { RequestStatus } from '../../../database/column-types.ts'
import { asList, type Fields } from '../../content/fields.ts'
import { cleanTags } from '../../content/text.ts'

/** Usual status tags of forums. An earlier status wins, because forums add tags and rarely remove them. */
const tagsOfStatus: ReadonlyArray<[RequestStatus, ReadonlySet<string>]> = [
  ['completed', new Set('completed complete implemented released fixed done shipped delivered'.split(' '))],
  [
    'declined',
    new Set('declined rejected wont-do wont-fix wontfix wont-implement not-planned out-of-scope'.split(' ')),
  ],
  ['duplicate', new Set(['duplicate', 'duplicated'])],
  ['in_progress', new Set('in-progress started wip in-development under-development'.split(' '))],
  ['planned', new Set('planned accepted roadmap on-roadmap on-the-roadmap backlog'.split(' '))],
]

/** A topic's tag names: strings until 2025, objects since. */
export function tagNames(topic: Fields): string[] {
  return cleanTags((asList(topic.tags) ?? []).map((tag) => (tag as Fields | null)?.name ?? tag))
}

/** The status a topic's tags express; null without one. */
export function discourseStatusOfTags(tags: readonly string[]): RequestStatus | null {
  const names = new Set(tags.map(normalisedTag))
  return tagsOfStatus.find(([, known]) => [...known].some((name) => names.has(name)))?.[0] ?? null
}

/** Closed means only "ended": the "solved" plugin, moderators and timers close topics without an answer. */
export function discourseStatus(topic: Fields): RequestStatus | null {
  const marks = [topic.closed, topic.archived]
  const byTags = discourseStatusOfTags(tagNames(topic))
  if (byTags !== null) return byTags
  if (marks.includes(true)) return 'closed'
  return marks.includes(false) ? 'open' : null
}

/** Equates `Status: Won't do`, `status-wont-do` and `wont_do`. */
function normalisedTag(tag: string): string {
  const name = tag
    .toLowerCase()
    .replace(/['’]/g, '')
    .replace(/[^\p{L}\p{N}]+/gu, '-')
  return name.replace(/^-|-$/g, '').replace(/^status-/, '')
}
