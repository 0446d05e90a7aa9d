import { useMutation } from '@tanstack/react-query'
import { type ComponentProps, type FormEvent, useId, useState } from 'react'
import { ApiError, api, dataOf, once } from '../api/client.ts'
import { useIntention } from '../api/intention.ts'
import type { MadeTracker, NewTracker } from '../api/types.ts'
import { Problem } from '../shell/problem.tsx'
import { pushTexts as texts } from '../texts/later/pushes.ts'
import { useTrackersChanged } from './use-pushes.ts'

type TrackerType = NewTracker['type']
const types = Object.keys(texts.types) as TrackerType[]

/** The fields of each type beside its name. */
const fieldsOf: Record<TrackerType, readonly ('project' | 'url' | 'email' | 'token' | 'issueType')[]> = {
  github: ['project', 'token', 'url'],
  gitlab: ['project', 'token', 'url'],
  linear: ['project', 'token'],
  jira: ['url', 'project', 'email', 'token', 'issueType'],
  webhook: ['url'],
}

const inputTypes = { project: 'text', url: 'url', email: 'email', token: 'password', issueType: 'text' } as const

/** A new tracker; the service calls it once, and says what is wrong. */
export function TrackerForm({ onMade }: { onMade: (made: MadeTracker) => void }) {
  const [draft, setDraft] = useState<NewTracker>({ type: 'github', name: '' })
  const { keyFor, done } = useIntention()
  const changed = useTrackersChanged()
  const making = useMutation({
    // The answer may have a secret: it must not stay in the cache.
    gcTime: 0,
    mutationFn: (body: NewTracker) => dataOf(api.POST('/api/v1/trackers', { body, params: once(keyFor(body)) })),
    onSuccess: () => {
      done()
      changed()
    },
  })
  const { type } = draft
  const change = (part: Partial<NewTracker>) => setDraft((before) => ({ ...before, ...part }))
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const given = fieldsOf[type].flatMap((field) => (draft[field] ? [[field, draft[field]] as const] : []))
    const body = { type, name: draft.name || texts.types[type], ...Object.fromEntries(given) }
    making.mutate(body, { onSuccess: onMade })
  }
  const labels = {
    ...{ project: texts.project[type], url: texts.url[type], email: texts.email, token: texts.token },
    issueType: texts.issueType,
  }
  const isOptional = (field: string) =>
    field === 'issueType' || (field === 'url' && type !== 'jira' && type !== 'webhook')
  // What the service says against a field stands at it.
  const refusals = making.error instanceof ApiError ? (making.error.body?.details ?? []) : []
  const refusalOf = (field: string) => refusals.find(({ path }) => path === field)?.message ?? null
  const isPlaced = fieldsOf[type].some((field) => refusalOf(field) !== null)
  return (
    <form className="start-form" onSubmit={submit}>
      <div className="form-row">
        <label className="field">
          <span>{texts.type}</span>
          <select value={type} onChange={({ target }) => change({ type: target.value as TrackerType })}>
            {types.map((one) => (
              <option key={one} value={one}>
                {texts.types[one]}
              </option>
            ))}
          </select>
        </label>
        <Field label={texts.name} value={draft.name} maxLength={100} onText={(name) => change({ name })} />
        {fieldsOf[type].map((field) => (
          <Field
            key={field}
            label={labels[field]}
            type={inputTypes[field]}
            autoComplete="off"
            placeholder={field === 'project' ? texts.projectExample[type] : undefined}
            required={!isOptional(field)}
            fault={refusalOf(field)}
            value={draft[field] ?? ''}
            onText={(text) => change({ [field]: text })}
          />
        ))}
      </div>
      {making.error !== null && !isPlaced && <Problem error={making.error} />}
      <div className="actions">
        <button type="submit" className="primary" disabled={making.isPending}>
          {making.isPending ? texts.adding : texts.add}
        </button>
      </div>
    </form>
  )
}

interface FieldProps extends ComponentProps<'input'> {
  label: string
  /** What is wrong with it. */
  fault?: string | null
  onText: (text: string) => void
}

/** A field of a tracker. */
export function Field({ label, fault = null, onText, ...input }: FieldProps) {
  const id = useId()
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <input
        maxLength={2000}
        spellCheck={false}
        {...input}
        id={id}
        dir="auto"
        aria-invalid={fault !== null}
        aria-describedby={`${id}-fault`}
        onChange={({ target }) => onText(target.value)}
      />
      <p id={`${id}-fault`} className="fault" role="alert">
        {fault}
      </p>
    </div>
  )
}
