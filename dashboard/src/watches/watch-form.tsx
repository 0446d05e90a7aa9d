import { type FormEvent, useEffect, useId, useState } from 'react'
import { isFree } from '../api/pricing.ts'
import type { PlatformStatus, WatchSettings } from '../api/types.ts'
import { DepthField } from '../collect/depth-field.tsx'
import { Refusal } from '../collect/job-cost.tsx'
import { PlatformChoice } from '../collect/platform-choice.tsx'
import { isAboutSources, SourceFields } from '../collect/source-fields.tsx'
import { collectTexts } from '../texts/later/collect.ts'
import { watchPageTexts as texts } from '../texts/later/watch-pages.ts'
import { type Draft, type DraftFault, faultOf, runCost, settingsOf, termsOf } from './draft.ts'
import { LivePreview } from './preview.tsx'
import { ReportFields } from './report-fields.tsx'
import { ScheduleFields } from './schedule-fields.tsx'

interface WatchFormProps {
  platforms: PlatformStatus[]
  initial: Draft
  /** The topic of a watch stays what it was. */
  isNew: boolean
  save: {
    mutate: (settings: WatchSettings) => void
    isPending: boolean
    error: Error | null
    variables: WatchSettings | undefined
  }
  cancel?: () => void
  /** Remembers what was typed, for who comes back to the form. */
  keep?: (draft: Draft) => void
}

/** Everything about a watch, with what it means shown beside it. */
export function WatchForm({ platforms, initial, isNew, save, cancel, keep }: WatchFormProps) {
  const id = useId()
  const [draft, setDraft] = useState(initial)
  const [fault, setFault] = useState<DraftFault | null>(null)
  const change = (part: Partial<Draft>) => setDraft((before) => ({ ...before, ...part }))
  useEffect(() => keep?.(draft), [keep, draft])
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const found = faultOf(draft)
    setFault(found)
    const settings = settingsOf(draft)
    if (settings !== null && !save.isPending) save.mutate(settings)
    // The field that must be mended is marked after this render.
    else if (found !== null) requestAnimationFrame(() => focusFault(`${id}-form`))
  }
  const fields = { draft, change, fault }
  return (
    <form id={`${id}-form`} className="start-form watch-form" onSubmit={submit} noValidate>
      {isNew && <TopicField {...fields} />}
      <NameField {...fields} />
      <PlatformChoice
        platforms={platforms}
        chosen={draft.platforms}
        choose={(chosen) => change({ platforms: chosen })}
        fault={fault === 'platforms' ? collectTexts.platformsFault : null}
      />
      <SourceFields
        platforms={platforms}
        chosen={draft.platforms}
        typed={draft.sources}
        type={(sources) => change({ sources })}
        refusal={save.error}
        sent={save.variables?.sources}
      />
      <DepthField depth={draft.depth} setDepth={(depth) => change({ depth })} />
      <ScheduleFields {...fields} />
      <LivePreview terms={termsOf(draft)} />
      <ReportFields {...fields} />
      {save.error !== null && save.variables && !isAboutSources(save.error, save.variables.sources) && (
        <Refusal error={save.error} cost={runCost(draft)} retry={() => save.variables && save.mutate(save.variables)} />
      )}
      <div className="start-foot">
        {isNew ? (
          <label className="choice">
            <input
              type="checkbox"
              checked={draft.runsNow}
              onChange={({ target }) => change({ runsNow: target.checked })}
            />
            <span>{texts.alsoRunNow(isFree() ? 0 : runCost(draft))}</span>
          </label>
        ) : (
          <span />
        )}
        <span className="actions">
          {cancel && (
            <button type="button" className="quiet" onClick={cancel}>
              {texts.cancel}
            </button>
          )}
          <button type="submit" className="primary large" disabled={save.isPending}>
            {isNew
              ? save.isPending
                ? texts.saving
                : texts.save
              : save.isPending
                ? texts.savingChange
                : texts.saveChange}
          </button>
        </span>
      </div>
    </form>
  )
}

function focusFault(formId: string): void {
  const form = document.getElementById(formId)
  form?.querySelector<HTMLElement>('[aria-invalid="true"], .platform-choice input:enabled')?.focus()
}

interface FieldProps {
  draft: Draft
  change: (part: Partial<Draft>) => void
  fault: DraftFault | null
}

function TopicField({ draft, change, fault }: FieldProps) {
  const id = useId()
  const isWrong = fault === 'topic'
  return (
    <div className="field wide">
      <label htmlFor={id}>{collectTexts.topic}</label>
      <input
        id={id}
        dir="auto"
        maxLength={100}
        placeholder={collectTexts.topicPlaceholder}
        value={draft.topic}
        aria-invalid={isWrong}
        aria-describedby={`${id}-fault`}
        onChange={({ target }) => change({ topic: target.value })}
      />
      <p id={`${id}-fault`} className="fault" role="alert">
        {isWrong && collectTexts.topicFault}
      </p>
    </div>
  )
}

function NameField({ draft, change }: FieldProps) {
  const id = useId()
  return (
    <div className="field">
      <label htmlFor={id}>{texts.name}</label>
      <input
        id={id}
        dir="auto"
        maxLength={100}
        placeholder={draft.topic.trim() === '' ? texts.namePlaceholder : draft.topic.trim()}
        value={draft.name}
        onChange={({ target }) => change({ name: target.value })}
      />
    </div>
  )
}
