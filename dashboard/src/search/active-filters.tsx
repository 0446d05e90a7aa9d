import { platformTitle, utcDay } from '../shell/format.ts'
import { searchTexts as texts } from '../texts/search.ts'
import { filterCount, type View, withoutFilters } from './view.ts'

interface ActiveFiltersProps {
  view: View
  show: (view: View) => void
}

/** Shows every filter that is sent, each with a button that removes it. */
export function ActiveFilters({ view, show }: ActiveFiltersProps) {
  if (filterCount(view) === 0) return null
  const chips: [text: string, without: View][] = [
    ...view.platforms.map((name): [string, View] => [
      platformTitle(name),
      { ...view, platforms: view.platforms.filter((other) => other !== name) },
    ]),
    ...view.tags.map((tag): [string, View] => [
      texts.tagChip(tag),
      { ...view, tags: view.tags.filter((other) => other !== tag) },
    ]),
  ]
  if (view.topic !== '') chips.push([texts.topicChip(view.topic), { ...view, topic: '' }])
  if (view.minVotes !== null) chips.push([texts.votesChip(view.minVotes), { ...view, minVotes: null }])
  if (view.since !== '') chips.push([texts.sinceChip(utcDay(view.since)), { ...view, since: '' }])
  if (view.until !== '') chips.push([texts.untilChip(utcDay(view.until)), { ...view, until: '' }])
  for (const status of view.statuses) {
    const statuses = view.statuses.filter((other) => other !== status)
    chips.push([texts.statusChip(status), { ...view, statuses }])
  }
  if (view.include !== null) chips.push([texts.includeChip[view.include], { ...view, include: null }])
  if (view.job !== '') chips.push([texts.jobChip, { ...view, job: '' }])
  return (
    <ul className="active-filters" aria-label={texts.activeFilters}>
      {chips.map(([text, without]) => (
        <li key={text}>
          <button type="button" className="chip" aria-label={texts.removeFilter(text)} onClick={() => show(without)}>
            <bdi>{text}</bdi> <span aria-hidden="true">×</span>
          </button>
        </li>
      ))}
      <li>
        <button type="button" className="as-link" onClick={() => show(withoutFilters(view))}>
          {texts.clearFilters}
        </button>
      </li>
    </ul>
  )
}
