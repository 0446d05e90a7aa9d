import { platformTitle } from '../shell/format.ts'
import { usePlatforms } from '../shell/use-platforms.ts'
import { searchTexts as texts } from '../texts/search.ts'
import { requestStatuses, type View } from './view.ts'

export interface FiltersProps {
  view: View
  show: (view: View) => void
}

interface ChipsProps<Value extends string> {
  legend: string
  values: readonly Value[]
  chosen: readonly Value[]
  nameOf: (value: Value) => string
  choose: (values: Value[]) => void
}

/** A filter of any number of values, each a button that is pressed or not. */
const Chips = <Value extends string>({ legend, values, chosen, nameOf, choose }: ChipsProps<Value>) => (
  <fieldset className="chips">
    <legend>{legend}</legend>
    {values.map((value) => {
      const isOn = chosen.includes(value)
      return (
        <button
          key={value}
          type="button"
          className="chip"
          aria-pressed={isOn}
          onClick={() => choose(isOn ? chosen.filter((other) => other !== value) : [...chosen, value])}
        >
          {nameOf(value)}
        </button>
      )
    })}
  </fieldset>
)

export function PlatformFilter({ view, show }: FiltersProps) {
  const platforms = usePlatforms()
  const names = platforms.data?.filter(({ state }) => state !== 'off').map(({ platform }) => platform) ?? []
  const shown = [...new Set([...names, ...view.platforms])]
  if (shown.length === 0) return null
  return (
    <Chips
      legend={texts.platforms}
      values={shown}
      chosen={view.platforms}
      nameOf={platformTitle}
      choose={(platforms) => show({ ...view, platforms })}
    />
  )
}

export const StatusFilter = ({ view, show }: FiltersProps) => (
  <Chips
    legend={texts.statuses}
    values={requestStatuses}
    chosen={view.statuses}
    nameOf={texts.status}
    choose={(statuses) => show({ ...view, statuses })}
  />
)
