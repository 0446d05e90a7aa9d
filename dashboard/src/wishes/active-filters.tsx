import { addressOf, everything, filterCount, type View, withoutFilters } from '../search/view.ts'
import { date, platformTitle } from '../shell/format.ts'
import { Link } from '../shell/router.tsx'
import { searchTexts as texts } from '../texts/search.ts'
import { wishTexts } from '../texts/wishes.ts'

/** The filters of a view, each with the view without it. */
export function chipsOf(view: View): [name: string, without: View][] {
  const { platforms, tags, statuses, topic, minVotes, since, until, include, job, mark, isStarred } = view
  return [
    ...platforms.map((one): [string, View] => [
      platformTitle(one),
      { ...view, platforms: platforms.filter((other) => other !== one) },
    ]),
    ...statuses.map((one): [string, View] => [
      texts.statusChip(one),
      { ...view, statuses: statuses.filter((other) => other !== one) },
    ]),
    ...tags.map((one): [string, View] => [
      texts.tagChip(one),
      { ...view, tags: tags.filter((other) => other !== one) },
    ]),
    ...(topic === '' ? [] : [[texts.topicChip(topic), { ...view, topic: '' }] satisfies [string, View]]),
    ...(minVotes === null ? [] : [[texts.votesChip(minVotes), { ...view, minVotes: null }] satisfies [string, View]]),
    ...(since === '' ? [] : [[texts.sinceChip(date(since)), { ...view, since: '' }] satisfies [string, View]]),
    ...(until === '' ? [] : [[texts.untilChip(date(until)), { ...view, until: '' }] satisfies [string, View]]),
    ...(include === null ? [] : [[texts.includeChip[include], { ...view, include: null }] satisfies [string, View]]),
    ...(job === '' ? [] : [[texts.jobChip, { ...view, job: '' }] satisfies [string, View]]),
    ...(mark === null ? [] : [[wishTexts.markChip(mark), { ...view, mark: null }] satisfies [string, View]]),
    ...(isStarred ? [[wishTexts.starred, { ...view, isStarred: false }] satisfies [string, View]] : []),
  ]
}

/** What the list is narrowed by; a click takes it away. */
export function ActiveFilters({ view, show }: { view: View; show: (view: View) => void }) {
  const chips = chipsOf(view)
  if (chips.length === 0) return null
  return (
    <ul className="active-filters" aria-label={texts.activeFilters}>
      {chips.map(([name, without]) => (
        <li key={name}>
          <Link className="chip" href={addressOf(without)} keepsPlace aria-label={texts.removeFilter(name)}>
            <bdi>{name}</bdi> <span aria-hidden="true">×</span>
          </Link>
        </li>
      ))}
      {filterCount(view) > 1 && (
        <li>
          <button
            type="button"
            className="as-link"
            onClick={() => show(view.query === '' ? everything : withoutFilters(view))}
          >
            {texts.clearFilters}
          </button>
        </li>
      )}
    </ul>
  )
}
