import { useId } from 'react'
import { isTimeZone, weekdayName } from '../shell/format.ts'
import { watchPageTexts as texts } from '../texts/later/watch-pages.ts'
import { budgetOf, type Draft, type DraftFault, hasHour, presets, runCost } from './draft.ts'

export interface DraftFieldsProps {
  draft: Draft
  change: (change: Partial<Draft>) => void
  fault: DraftFault | null
}

/** How often it runs, in words or as a cron expression, by which clock, and what it may cost. */
export const ScheduleFields = (props: DraftFieldsProps) => (
  <div className="form-row">
    <Often {...props} />
    {hasHour(props.draft) && <When {...props} />}
    {props.draft.preset === 'cron' && <Cron {...props} />}
    <TimeZone
      timezone={props.draft.timezone}
      setTimezone={(timezone) => props.change({ timezone })}
      isWrong={props.fault === 'timezone'}
    />
    <Budget {...props} />
  </div>
)

function Often({ draft, change }: DraftFieldsProps) {
  const id = useId()
  return (
    <div className="field">
      <label htmlFor={id}>{texts.howOften}</label>
      <select
        id={id}
        value={draft.preset}
        aria-describedby={`${id}-note`}
        onChange={({ target }) => change({ preset: target.value as Draft['preset'] })}
      >
        {[...presets, 'cron' as const].map((preset) => (
          <option key={preset} value={preset}>
            {texts.scheduleChoices[preset]}
          </option>
        ))}
      </select>
      <p id={`${id}-note`} className="note">
        {draft.preset !== 'cron' && (draft.hour === null || !hasHour(draft)) && texts.scheduleNote}
      </p>
    </div>
  )
}

const hours = Array.from({ length: 24 }, (_, hour) => hour)
/** Monday first. */
const weekdays = [1, 2, 3, 4, 5, 6, 0]

/** The weekday and the hour of a run. */
function When({ draft, change }: DraftFieldsProps) {
  const id = useId()
  return (
    <>
      {draft.preset === 'weekly' && draft.hour !== null && (
        <div className="field">
          <label htmlFor={`${id}-day`}>{texts.weekday}</label>
          <select
            id={`${id}-day`}
            value={draft.weekday}
            onChange={({ target }) => change({ weekday: Number(target.value) })}
          >
            {weekdays.map((day) => (
              <option key={day} value={day}>
                {weekdayName(day)}
              </option>
            ))}
          </select>
        </div>
      )}
      <div className="field">
        <label htmlFor={`${id}-hour`}>{texts.hour}</label>
        <select
          id={`${id}-hour`}
          value={draft.hour ?? ''}
          onChange={({ target }) => change({ hour: target.value === '' ? null : Number(target.value) })}
        >
          <option value="">{texts.anyHour}</option>
          {hours.map((hour) => (
            <option key={hour} value={hour}>
              {texts.atHour(hour, draft.minute)}
            </option>
          ))}
        </select>
      </div>
    </>
  )
}

function Cron({ draft, change, fault }: DraftFieldsProps) {
  const id = useId()
  const isWrong = fault === 'cron'
  return (
    <div className="field">
      <label htmlFor={id}>{texts.cron}</label>
      <input
        id={id}
        dir="ltr"
        spellCheck={false}
        autoCapitalize="none"
        maxLength={100}
        placeholder="30 8 * * 1-5"
        value={draft.cron}
        aria-invalid={isWrong}
        aria-describedby={`${id}-note ${id}-fault`}
        onChange={({ target }) => change({ cron: target.value })}
      />
      <p id={`${id}-note`} className="note">
        {texts.cronNote}
      </p>
      <p id={`${id}-fault`} className="fault" role="alert">
        {isWrong && texts.cronFault}
      </p>
    </div>
  )
}

interface TimeZoneProps {
  timezone: string
  setTimezone: (timezone: string) => void
  isWrong: boolean
}

/** The time zones that this browser knows, to choose from or to type. */
export function TimeZone({ timezone, setTimezone, isWrong }: TimeZoneProps) {
  const id = useId()
  return (
    <div className="field">
      <label htmlFor={id}>{texts.timezone}</label>
      <input
        id={id}
        dir="ltr"
        list={`${id}-zones`}
        spellCheck={false}
        autoCapitalize="none"
        maxLength={64}
        value={timezone}
        aria-invalid={isWrong && !isTimeZone(timezone)}
        aria-describedby={`${id}-fault`}
        onChange={({ target }) => setTimezone(target.value)}
      />
      <datalist id={`${id}-zones`}>
        {Intl.supportedValuesOf('timeZone').map((zone) => (
          <option key={zone} value={zone} />
        ))}
      </datalist>
      <p id={`${id}-fault`} className="fault" role="alert">
        {isWrong && !isTimeZone(timezone) && texts.timezoneFault}
      </p>
    </div>
  )
}

function Budget({ draft, change, fault }: DraftFieldsProps) {
  const id = useId()
  const isWrong = fault === 'budget'
  return (
    <div className="field">
      <label htmlFor={id}>{texts.budget}</label>
      <input
        id={id}
        type="number"
        min={1}
        step={1}
        value={draft.budget ?? budgetOf(draft)}
        aria-invalid={isWrong}
        aria-describedby={`${id}-note ${id}-fault`}
        onChange={({ target }) => change({ budget: target.value })}
      />
      <p id={`${id}-note`} className="note">
        {texts.budgetNote}
      </p>
      <p id={`${id}-fault`} className="fault" role="alert">
        {isWrong && texts.budgetFault(Math.max(1, runCost(draft)))}
      </p>
    </div>
  )
}
