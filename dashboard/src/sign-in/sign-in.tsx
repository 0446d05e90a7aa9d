import { useEffect, useState } from 'react'
import { isStatus } from '../api/client.ts'
import { signIn } from '../api/session.ts'
import { homeAddress, signInAddress } from '../shell/addresses.ts'
import { LanguageChoice } from '../shell/language-choice.tsx'
import { Problem } from '../shell/problem.tsx'
import { navigate } from '../shell/router.tsx'
import { shellTexts } from '../texts/shell.ts'
import { signInTexts as texts } from '../texts/sign-in.ts'
import { SignInForm } from './sign-in-form.tsx'

/** Removes the token from the address, so that it stays in no history. */
function takeLink(): string | null {
  if (location.pathname !== signInAddress || location.hash.length < 2) return null
  const token = location.hash.slice(1)
  history.replaceState(null, '', signInAddress)
  return token
}

const leave = () => {
  if (location.pathname === signInAddress) navigate(homeAddress, { replace: true })
}

export function SignInPage() {
  const [link, setLink] = useState<string | null>(null)
  useEffect(() => {
    document.title = shellTexts.tabTitle(texts.title)
    const take = () => {
      const token = takeLink()
      if (token !== null) setLink(token)
    }
    take()
    // A second link pasted into the same tab changes only the part after the #.
    window.addEventListener('hashchange', take)
    return () => window.removeEventListener('hashchange', take)
  }, [])
  return (
    <main className="alone sign-in">
      <h1>{shellTexts.product}</h1>
      <p className="intro">{texts.intro}</p>
      {link !== null && <LinkSignIn key={link} link={link} />}
      {link !== null && <p className="or">{texts.or}</p>}
      <SignInForm onSignedIn={leave} />
      <p className="hint">
        {texts.whereKeys} <a href="/docs">{shellTexts.documentation}</a>
      </p>
      <LanguageChoice />
    </main>
  )
}

/** One button: a preview that only opens the link does not use it up. */
function LinkSignIn({ link }: { link: string }) {
  const [state, setState] = useState<{ busy: boolean; error: unknown }>({ busy: false, error: null })
  const go = async () => {
    setState({ busy: true, error: null })
    try {
      await signIn({ link })
      leave()
    } catch (error) {
      setState({ busy: false, error })
    }
  }
  const isUsed = isStatus(state.error, 400, 401, 404, 409)
  return (
    <div className="link-sign-in">
      <p>{texts.linkIntro}</p>
      <button type="button" className="primary large" disabled={state.busy || isUsed} onClick={() => void go()}>
        {state.busy ? texts.signingIn : texts.signInWithLink}
      </button>
      {isUsed && (
        <p className="problem" role="alert">
          {texts.usedLink}
        </p>
      )}
      {state.error !== null && !isUsed && <Problem error={state.error} retry={go} />}
    </div>
  )
}
