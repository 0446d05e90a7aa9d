import { useState } from 'react'
import type { PlatformName, RequestStatus } from '../api/types.ts'
import { addressOf, type View } from '../search/view.ts'
import { number, platformTitle } from '../shell/format.ts'
import { Link, navigate } from '../shell/router.tsx'
import { wishTexts as texts } from '../texts/wishes.ts'
import type { Counts } from './use-rows.ts'
import { dayAgo, periodOf, periods } from './views.ts'

interface Choice {
  value: string
  name: string
  /** Null where nothing was counted. */
  count: number | null
  isOn: boolean
  /** The view after a click. */
  next: View
}

const toggled = <T,>(values: readonly T[], value: T): T[] =>
  values.includes(value) ? values.filter((one) => one !== value) : [...values, value]

/** Tags that say that something is a request, and nothing of it. */
const isGeneric = (tag: string) =>
  /^(enhancement|feature([-_ ]?requests?)?|type[:/ ]*(enhancement|feature)|feedback|ideas?|suggestions?)$/i.test(tag)

/** What was chosen is offered even where nothing is left of it. */
function choicesOf(counted: Counts['facets'][keyof Counts['facets']], chosen: readonly string[]) {
  const values = counted ?? []
  const missing = chosen.filter((value) => !values.some((one) => one.value === value))
  return [...missing.map((value) => ({ value, count: 0 })), ...values]
}

function facetsOf(view: View, { facets }: Counts): [title: string, choices: Choice[]][] {
  const { platforms, statuses, tags, minVotes, since, until } = view
  const yearOf = (year: string) => ({ since: `${year}-01-01`, until: `${year}-12-31` })
  return [
    [
      texts.facets.platform,
      choicesOf(facets.platform, platforms).map(({ value, count }) => ({
        value,
        name: platformTitle(value),
        count,
        isOn: platforms.includes(value as PlatformName),
        next: { ...view, platforms: toggled(platforms, value as PlatformName) },
      })),
    ],
    [
      texts.facets.status,
      choicesOf(facets.status, statuses).map(({ value, count }) => ({
        value,
        name: texts.statusOf(value as RequestStatus),
        count,
        isOn: statuses.includes(value as RequestStatus),
        next: { ...view, statuses: toggled(statuses, value as RequestStatus) },
      })),
    ],
    [
      texts.facets.votes,
      choicesOf(facets.votes, minVotes === null ? [] : [String(minVotes)])
        .sort((a, b) => Number(a.value) - Number(b.value))
        .map(({ value, count }) => ({
          value,
          name: texts.votesOrMore(Number(value)),
          count,
          isOn: minVotes === Number(value),
          next: { ...view, minVotes: minVotes === Number(value) ? null : Number(value) },
        })),
    ],
    [
      texts.facets.year,
      choicesOf(facets.year, [])
        .sort((a, b) => Number(b.value) - Number(a.value))
        .map(({ value, count }) => {
          const year = yearOf(value)
          const isOn = since === year.since && until === year.until
          return { value, name: value, count, isOn, next: { ...view, ...(isOn ? { since: '', until: '' } : year) } }
        }),
    ],
    [
      texts.facets.tag,
      choicesOf(facets.tag, tags)
        .filter(({ value }) => tags.includes(value) || !isGeneric(value))
        .map(({ value, count }) => ({
          value,
          name: value,
          count,
          isOn: tags.includes(value),
          next: { ...view, tags: toggled(tags, value) },
        })),
    ],
  ]
}

/** What one can filter by, with how many requests each choice has. A click applies at once. */
export function Facets({ view, counts }: { view: View; counts: Counts | undefined }) {
  return (
    <div className="facets">
      <Period view={view} />
      {counts &&
        facetsOf(view, counts).map(([title, choices]) => <Facet key={title} title={title} choices={choices} />)}
    </div>
  )
}

const shownChoices = 6

function Facet({ title, choices }: { title: string; choices: Choice[] }) {
  const [isWhole, setIsWhole] = useState(false)
  if (choices.length === 0) return null
  const shown = choices.filter(({ isOn }, at) => isWhole || isOn || at < shownChoices)
  return (
    <section className="facet" aria-label={title}>
      <h2>{title}</h2>
      <ul>
        {shown.map(({ value, name, count, isOn, next }) => (
          <li key={value}>
            <Link
              href={addressOf(next)}
              keepsPlace
              aria-current={isOn ? 'true' : undefined}
              aria-label={texts.facetLabel(name, count, isOn)}
            >
              <bdi>{name}</bdi> {count !== null && <span className="facet-count">{number(count)}</span>}
            </Link>
          </li>
        ))}
      </ul>
      {choices.length > shown.length && (
        <button type="button" className="as-link" onClick={() => setIsWhole(true)}>
          {texts.allChoices(choices.length)}
        </button>
      )}
    </section>
  )
}

/** When it was asked: a click, or two dates. */
function Period({ view }: { view: View }) {
  const present = periodOf(view)
  const address = (since: string, until = '') => addressOf({ ...view, since, until })
  return (
    <section className="facet" aria-label={texts.facets.period}>
      <h2>{texts.facets.period}</h2>
      <ul className="period-choices">
        {periods.map((days) => (
          <li key={days}>
            <Link
              href={address(days === null ? '' : dayAgo(days - 1))}
              keepsPlace
              aria-current={present === days ? 'true' : undefined}
            >
              {texts.period(days)}
            </Link>
          </li>
        ))}
      </ul>
      <DateField view={view} name="since" label={texts.since} />
      <DateField view={view} name="until" label={texts.until} />
    </section>
  )
}

/** A date applies as soon as it is whole. */
const DateField = ({ view, name, label }: { view: View; name: 'since' | 'until'; label: string }) => (
  <label className="date-field">
    <span>{label}</span>
    <input
      type="date"
      min="1990-01-01"
      max="2100-12-31"
      value={view[name]}
      onInput={({ currentTarget }) => {
        if (currentTarget.validity.valid)
          navigate(addressOf({ ...view, [name]: currentTarget.value }), { replace: true })
      }}
    />
  </label>
)
