import { type FormEvent, useId, useState } from 'react'
import { isStatus } from '../api/client.ts'
import { signIn } from '../api/session.ts'
import { Problem } from '../shell/problem.tsx'
import { signInTexts as texts } from '../texts/sign-in.ts'

/** Signs in with an API key or the admin key. The key leaves the page with the form and is kept nowhere. */
export function SignInForm({ compact = false, onSignedIn }: { compact?: boolean; onSignedIn?: () => void }) {
  const id = useId()
  const [apiKey, setApiKey] = useState('')
  const [state, setState] = useState<{ busy: boolean; error: unknown }>({ busy: false, error: null })
  const submit = async (event?: FormEvent) => {
    event?.preventDefault()
    if (apiKey.trim() === '') {
      document.getElementById(id)?.focus()
      return
    }
    setState({ busy: true, error: null })
    try {
      await signIn({ apiKey: apiKey.trim() })
      setApiKey('')
      setState({ busy: false, error: null })
      onSignedIn?.()
    } catch (error) {
      setState({ busy: false, error })
    }
  }
  const isWrong = isStatus(state.error, 400, 401)
  return (
    <form className={compact ? 'sign-in-form compact' : 'sign-in-form'} onSubmit={(event) => void submit(event)}>
      <label htmlFor={id}>{texts.key}</label>
      <input
        id={id}
        type="password"
        autoComplete="current-password"
        spellCheck={false}
        maxLength={500}
        required
        value={apiKey}
        aria-invalid={isWrong}
        aria-describedby={`${id}-hint`}
        onChange={(event) => setApiKey(event.target.value)}
      />
      <button type="submit" className="primary" disabled={state.busy}>
        {state.busy ? texts.signingIn : texts.signIn}
      </button>
      <p id={`${id}-hint`} className="hint">
        {texts.keyHint}
      </p>
      {isWrong && (
        <p className="problem" role="alert">
          {texts.wrongKey}
        </p>
      )}
      {state.error !== null && !isWrong && <Problem error={state.error} />}
    </form>
  )
}
