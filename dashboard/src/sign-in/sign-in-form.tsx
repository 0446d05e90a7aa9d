import { type FormEvent, useId, useState } from 'react'
import { isStatus } from '../api/client.ts'
import { signIn } from '../api/session.ts'
import { Problem } from '../shell/problem.tsx'
import { signInTexts as texts } from '../texts/sign-in.ts'

interface SignInFormProps {
  compact?: boolean
  onSignedIn?: (() => void) | undefined
}

function useSignIn(onSignedIn: (() => void) | undefined) {
  const [apiKey, setApiKey] = useState('')
  const [state, setState] = useState<{ busy: boolean; error: unknown }>({ busy: false, error: null })
  const submit = async () => {
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
  return { apiKey, setApiKey, state, submit }
}

/** Signs in with an API key or the admin key. The page sends the key and does not store it. */
export function SignInForm({ compact = false, onSignedIn }: SignInFormProps) {
  const id = useId()
  const { apiKey, setApiKey, state, submit } = useSignIn(onSignedIn)
  const onSubmit = (event: FormEvent) => {
    event.preventDefault()
    if (apiKey.trim() === '') document.getElementById(id)?.focus()
    else void submit()
  }
  const isWrong = isStatus(state.error, 400, 401)
  return (
    <form className={compact ? 'sign-in-form compact' : 'sign-in-form'} onSubmit={onSubmit}>
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
