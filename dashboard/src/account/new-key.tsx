import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useId, useState } from 'react'
import { useIntention } from '../api/intention.ts'
import type { KeyScope, MadeKey, NewKey } from '../api/types.ts'
import { Problem } from '../shell/problem.tsx'
import { accountTexts as texts } from '../texts/later/account.ts'
import { SecretOnce } from './secret-once.tsx'

const scopes: KeyScope[] = ['read', 'collect', 'manage']
/** The days after which a key may expire; 0: never. */
const expiries = [0, 7, 30, 90, 365]

interface Draft {
  name: string
  scope: KeyScope
  days: number
  /** As typed; empty for no budget. */
  budget: string
}

interface NewKeyFormProps {
  make: (key: NewKey, idempotencyKey: string) => Promise<MadeKey>
  onMade: () => void
  /** What is chosen at first: for another program as little as helps. */
  scope: KeyScope
}

/** The begin of a UTC day: the same for each try of a day, so that a second try is the same call. */
const endOf = (days: number): string => {
  const end = new Date()
  end.setUTCHours(24 * (days + 1), 0, 0, 0)
  return end.toISOString()
}

const isBudget = (text: string) => text.trim() === '' || /^\d{1,9}$/.test(text.trim())

const keyOf = ({ name, scope, days, budget }: Draft): NewKey => ({
  name: name.trim(),
  scope,
  ...(days === 0 ? {} : { expiresAt: endOf(days) }),
  ...(budget.trim() === '' ? {} : { monthlyCredits: Number(budget) }),
})

function useKeyCreation({ make, onMade }: Pick<NewKeyFormProps, 'make' | 'onMade'>) {
  const { keyFor, done } = useIntention()
  return useMutation({
    // The key is a secret: it must not stay in the query cache.
    gcTime: 0,
    mutationFn: (key: NewKey) => make(key, keyFor(key)),
    onSuccess: () => {
      done()
      onMade()
    },
  })
}

/** The form of a new key. The key is shown until it is closed, and stored nowhere else. */
export function NewKeyForm({ make, onMade, scope }: NewKeyFormProps) {
  const atFirst: Draft = { name: '', scope, days: 0, budget: '' }
  const [draft, setDraft] = useState(atFirst)
  const [fault, setFault] = useState<'name' | 'budget' | null>(null)
  const creation = useKeyCreation({
    make,
    onMade: () => {
      setDraft(atFirst)
      onMade()
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const found = draft.name.trim() === '' ? 'name' : isBudget(draft.budget) ? null : 'budget'
    setFault(found)
    if (found === null && !creation.isPending) creation.mutate(keyOf(draft))
  }
  const change = (part: Partial<Draft>) => setDraft((before) => ({ ...before, ...part }))
  return (
    <>
      <form className="start-form key-form" onSubmit={submit} noValidate>
        <NameField {...{ draft, change, fault }} />
        <Scope {...{ draft, change, fault }} />
        <Bounds {...{ draft, change, fault }} />
        <div>
          <button type="submit" disabled={creation.isPending}>
            {creation.isPending ? texts.makingKey : texts.makeKey}
          </button>
        </div>
      </form>
      {creation.error !== null && <Problem error={creation.error} retry={() => creation.mutate(creation.variables)} />}
      {creation.data && (
        <SecretOnce
          title={texts.madeKey}
          advice={texts.madeKeyAdvice}
          secret={creation.data.apiKey}
          onClose={creation.reset}
        />
      )}
    </>
  )
}

interface FieldProps {
  draft: Draft
  change: (part: Partial<Draft>) => void
  fault: 'name' | 'budget' | null
}

const NameField = ({ draft, change, fault }: FieldProps) => (
  <div className="field">
    <label htmlFor="key-name">{texts.keyName}</label>
    <input
      id="key-name"
      dir="auto"
      maxLength={100}
      value={draft.name}
      placeholder={texts.keyNamePlaceholder}
      aria-invalid={fault === 'name'}
      aria-describedby="key-name-fault"
      onChange={({ target }) => change({ name: target.value })}
    />
    <p id="key-name-fault" className="fault" role="alert">
      {fault === 'name' && texts.keyNameFault}
    </p>
  </div>
)

function Scope({ draft, change }: FieldProps) {
  const name = useId()
  return (
    <fieldset>
      <legend>{texts.scope}</legend>
      <div className="platform-grid">
        {scopes.map((scope) => (
          <label key={scope} className="platform-option">
            <input type="radio" name={name} checked={draft.scope === scope} onChange={() => change({ scope })} />
            <span>
              <strong>{texts.scopes[scope]}</strong>
              <span className="note">{texts.scopeNotes[scope]}</span>
            </span>
          </label>
        ))}
      </div>
    </fieldset>
  )
}

const Bounds = ({ draft, change, fault }: FieldProps) => (
  <div className="form-row">
    <div className="field">
      <label htmlFor="key-expiry">{texts.expiry}</label>
      <select id="key-expiry" value={draft.days} onChange={({ target }) => change({ days: Number(target.value) })}>
        {expiries.map((days) => (
          <option key={days} value={days}>
            {days === 0 ? texts.neverExpires : texts.inDays(days)}
          </option>
        ))}
      </select>
    </div>
    <div className="field">
      <label htmlFor="key-budget">{texts.keyBudget}</label>
      <input
        id="key-budget"
        inputMode="numeric"
        maxLength={9}
        value={draft.budget}
        placeholder={texts.keyBudgetPlaceholder}
        aria-invalid={fault === 'budget'}
        aria-describedby="key-budget-fault"
        onChange={({ target }) => change({ budget: target.value })}
      />
      <p id="key-budget-fault" className="fault" role="alert">
        {fault === 'budget' && texts.keyBudgetFault}
      </p>
    </div>
  </div>
)
