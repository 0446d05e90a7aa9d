import type { Session } from '../api/types.ts'
import { SignInForm } from '../sign-in/sign-in-form.tsx'
import { shellTexts as texts } from '../texts/shell.ts'

/** What is on the page stays; with a key it goes on. With the key of another account the page is that account's. */
export const SessionEnded = ({ session }: { session: Session }) => (
  <section className="session-ended" aria-label={texts.expiredTitle}>
    <p role="alert">
      <strong>{texts.expiredTitle}</strong>{' '}
      {session.kind === 'operator' ? texts.operatorExpiredAdvice : texts.expiredAdvice}
    </p>
    <SignInForm compact />
  </section>
)
