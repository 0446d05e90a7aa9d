import { type FormEvent, useEffect, useId, useRef, useState } from 'react'
import type { Include } from '../api/types.ts'
import { searchTexts as texts } from '../texts/search.ts'
import { type FiltersProps, PlatformFilter, StatusFilter } from './chip-filters.tsx'
import { filterCount, isTopic, lengthOf, maxTagLength, maxTags, type View } from './view.ts'

/** The filters and the order of the results. Every change is a new address. */
export function Filters({ view, show }: FiltersProps) {
  const [isOpen, setOpen] = useState(false)
  const id = useId()
  return (
    <div className="filters">
      <div className="filter-bar">
        <button type="button" aria-expanded={isOpen} aria-controls={id} onClick={() => setOpen(!isOpen)}>
          {texts.filters(filterCount(view))}
        </button>
        <Order view={view} show={show} />
      </div>
      <div id={id} className="filter-panel" hidden={!isOpen}>
        {isOpen && <FilterFields view={view} show={show} />}
      </div>
    </div>
  )
}

const Order = ({ view, show }: FiltersProps) => (
  <label>
    <span>{texts.sortBy}</span>
    <select
      value={view.sortBy === 'relevance' && view.query === '' ? 'new' : view.sortBy}
      onChange={(event) => show({ ...view, sortBy: event.target.value as View['sortBy'] })}
    >
      {view.query !== '' && <option value="relevance">{texts.sort.relevance}</option>}
      <option value="votes">{texts.sort.votes}</option>
      <option value="new">{texts.sort.new}</option>
    </select>
  </label>
)

const FilterFields = ({ view, show }: FiltersProps) => (
  <>
    <PlatformFilter view={view} show={show} />
    <StatusFilter view={view} show={show} />
    <div className="filter-fields">
      <WordFilter
        label={texts.topic}
        present={view.topic}
        fault={(topic) => (topic === '' || isTopic(topic) ? null : texts.topicLength)}
        apply={(topic) => show({ ...view, topic })}
      />
      <WordFilter
        label={texts.tag}
        present=""
        fault={(tag) => faultOfTag(tag, view)}
        apply={(tag) => !view.tags.includes(tag) && show({ ...view, tags: [...view.tags, tag] })}
        empties
      />
      <VotesFilter view={view} show={show} />
      <DayFilter label={texts.since} present={view.since} apply={(since) => show({ ...view, since })} />
      <DayFilter label={texts.until} present={view.until} apply={(until) => show({ ...view, until })} />
      <IncludeFilter view={view} show={show} />
    </div>
    {view.since !== '' && view.until !== '' && view.since > view.until && (
      <p className="fault" role="alert">
        {texts.daysReversed}
      </p>
    )}
  </>
)

const faultOfTag = (tag: string, view: View) =>
  lengthOf(tag) > maxTagLength ? texts.tagLength : view.tags.length >= maxTags && tag !== '' ? texts.tooManyTags : null

function IncludeFilter({ view, show }: FiltersProps) {
  const id = useId()
  return (
    <div className="field">
      <label htmlFor={id}>{texts.include}</label>
      <select
        id={id}
        value={view.include ?? ''}
        onChange={({ target }) => show({ ...view, include: target.value === '' ? null : (target.value as Include) })}
      >
        <option value="">{texts.includes.likely}</option>
        <option value="maybe">{texts.includes.maybe}</option>
        <option value="all">{texts.includes.all}</option>
      </select>
    </div>
  )
}

interface WordFilterProps {
  label: string
  present: string
  /** What is wrong with a text, shown at the field; such a text is not applied. */
  fault: (text: string) => string | null
  apply: (text: string) => void
  /** Whether the field is emptied when its text was applied. */
  empties?: boolean
}

function WordFilter({ label, present, fault, apply, empties = false }: WordFilterProps) {
  const id = useId()
  const [text, setText] = useState(present)
  const [shownFault, setShownFault] = useState<string | null>(null)
  // The field follows the address. It is not replaced, because it may have the focus.
  useEffect(() => {
    setText(present)
    setShownFault(null)
  }, [present])
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const wrong = fault(text.trim())
    setShownFault(wrong)
    if (wrong !== null || text.trim() === present) return
    apply(text.trim())
    if (empties) setText('')
  }
  return (
    <form className="field" onSubmit={submit}>
      <label htmlFor={id}>{label}</label>
      <input
        id={id}
        dir="auto"
        value={text}
        aria-invalid={shownFault !== null}
        aria-describedby={`${id}-fault`}
        onChange={(event) => setText(event.target.value)}
      />
      <button type="submit" className="small">
        {texts.apply}
      </button>
      <p id={`${id}-fault`} className="fault" role="alert">
        {shownFault}
      </p>
    </form>
  )
}

const VotesFilter = ({ view, show }: FiltersProps) => (
  <WordFilter
    label={texts.minVotes}
    present={view.minVotes === null ? '' : String(view.minVotes)}
    fault={(text) => (text === '' || /^\d{1,9}$/.test(text) ? null : texts.votesForm)}
    apply={(text) => show({ ...view, minVotes: Number(text) > 0 ? Number(text) : null })}
  />
)

/** A day is applied when it is complete; until then the value of the field is empty. */
function DayFilter({ label, present, apply }: { label: string; present: string; apply: (day: string) => void }) {
  const id = useId()
  const field = useRef<HTMLInputElement>(null)
  useEffect(() => {
    if (field.current !== null) field.current.value = present
  }, [present])
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <input
        ref={field}
        id={id}
        type="date"
        min="2000-01-01"
        max="2100-12-31"
        defaultValue={present}
        onBlur={(event) => {
          if (event.target.validity.valid && event.target.value !== present) apply(event.target.value)
        }}
        onKeyDown={(event) => {
          const { value, validity } = event.currentTarget
          if (event.key === 'Enter' && validity.valid && value !== present) apply(value)
        }}
      />
    </div>
  )
}
