import { type FormEvent, useId, useState } from 'react'
import { isStatus } from '../api/client.ts'
import type { ChannelEvent } from '../api/types.ts'
import { ToldKinds } from '../news/told-kinds.tsx'
import { Problem } from '../shell/problem.tsx'
import { channelTexts as texts } from '../texts/later/channels.ts'
import { TimeZone } from '../watches/schedule-fields.tsx'
import { accountEvents, type ChannelDraft, type ChannelFault, faultOfChannel } from './channel-draft.ts'
import { type ChannelFieldProps, TargetFields } from './target-fields.tsx'

interface ChannelFormProps {
  initial: ChannelDraft
  /** The address of a channel that exists stays. */
  isNew: boolean
  /** Without what it is told of and when, which can be changed later. */
  isBrief?: boolean
  submit: (draft: ChannelDraft) => void
  isPending: boolean
  error: Error | null
  cancel: () => void
}

const maxName = 100

/** The name of a channel, where it leads, what it is told and when. */
export function ChannelForm({ initial, isNew, isBrief = false, submit, isPending, error, cancel }: ChannelFormProps) {
  const id = useId()
  const [draft, setDraft] = useState(initial)
  const [fault, setFault] = useState<ChannelFault | null>(null)
  const filled = isBrief ? { ...draft, name: draft.target.trim().slice(0, maxName) } : draft
  const change = (part: Partial<ChannelDraft>) => setDraft((before) => ({ ...before, ...part }))
  const onSubmit = (event: FormEvent) => {
    event.preventDefault()
    const found = faultOfChannel(filled, isNew)
    setFault(found)
    if (found === null && !isPending) submit(filled)
    // The field that must be mended is marked after this render.
    else if (found !== null) {
      requestAnimationFrame(() =>
        document.getElementById(id)?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus(),
      )
    }
  }
  const refusal = targetRefusal(error)
  const fields = { draft, change, fault }
  return (
    <form id={id} className="start-form channel-form" onSubmit={onSubmit} noValidate>
      {!isBrief && <NameField {...fields} />}
      {isNew ? <TargetFields {...fields} refusal={refusal} /> : <p className="note">{texts.addressStays}</p>}
      {!isBrief && <ToldKinds muted={draft.mutedNews} change={(mutedNews) => change({ mutedNews })} />}
      {!isBrief && <Events {...fields} />}
      {!isBrief && <When {...fields} />}
      {error !== null && refusal === null && <Problem error={error} retry={() => submit(filled)} />}
      <div className="actions">
        <button type="submit" className="primary" disabled={isPending}>
          {isNew ? (isPending ? texts.saving : texts.save) : isPending ? texts.savingChange : texts.saveChange}
        </button>
        <button type="button" className="quiet" onClick={cancel}>
          {isNew ? texts.cancelNew : texts.cancel}
        </button>
      </div>
    </form>
  )
}

/** The fields of the address of a channel, as the service names them. */
const targetPaths = /^(url|address|email|tag)$/

/** What the service says against the address: it stands at the field, since another try with the same one fails, too. */
function targetRefusal(error: Error | null): string | null {
  if (!isStatus(error, 400)) return null
  return error.body?.details?.find(({ path }) => targetPaths.test(path.split('.').at(-1) ?? ''))?.message ?? null
}

function NameField({ draft, change, fault }: ChannelFieldProps) {
  const id = useId()
  const isWrong = fault === 'name' && draft.name.trim() === ''
  return (
    <div className="field">
      <label htmlFor={id}>{texts.name}</label>
      <input
        id={id}
        dir="auto"
        maxLength={maxName}
        placeholder={texts.namePlaceholder}
        value={draft.name}
        aria-invalid={isWrong}
        aria-describedby={`${id}-fault`}
        onChange={({ target }) => change({ name: target.value })}
      />
      <p id={`${id}-fault`} className="fault" role="alert">
        {isWrong && texts.nameFault}
      </p>
    </div>
  )
}

function Events({ draft, change }: ChannelFieldProps) {
  const toggle = (event: ChannelEvent) =>
    change({
      events: draft.events.includes(event) ? draft.events.filter((one) => one !== event) : [...draft.events, event],
    })
  return (
    <fieldset>
      <legend>{texts.events}</legend>
      <p className="note">{texts.eventsNote}</p>
      <div className="choices">
        {accountEvents.map((event) => (
          <label key={event} className="choice">
            <input type="checkbox" checked={draft.events.includes(event)} onChange={() => toggle(event)} />
            <span>{texts.event[event]}</span>
          </label>
        ))}
      </div>
    </fieldset>
  )
}

function When({ draft, change, fault }: ChannelFieldProps) {
  const id = useId()
  const isDigest = draft.cadence !== 'now'
  return (
    <div className="form-row">
      <div className="field">
        <label htmlFor={id}>{texts.when}</label>
        <select
          id={id}
          value={draft.cadence}
          onChange={({ target }) => change({ cadence: target.value as ChannelDraft['cadence'] })}
        >
          {(['now', 'daily', 'weekly'] as const).map((cadence) => (
            <option key={cadence} value={cadence}>
              {texts.cadence[cadence]}
            </option>
          ))}
        </select>
      </div>
      {isDigest && (
        <div className="field">
          <label htmlFor={`${id}-hour`}>{texts.hour}</label>
          <select
            id={`${id}-hour`}
            value={draft.hour}
            onChange={({ target }) => change({ hour: Number(target.value) })}
          >
            {Array.from({ length: 24 }, (_, hour) => (
              <option key={hourText(hour)} value={hour}>
                {hourText(hour)}
              </option>
            ))}
          </select>
        </div>
      )}
      {isDigest && (
        <TimeZone
          timezone={draft.timezone}
          setTimezone={(timezone) => change({ timezone })}
          isWrong={fault === 'timezone'}
        />
      )}
    </div>
  )
}

/** An hour of the day, as clocks show it. */
export const hourText = (hour: number): string => `${String(hour).padStart(2, '0')}:00`
