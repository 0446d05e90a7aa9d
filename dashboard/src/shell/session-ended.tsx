import type { Session } from '../api/types.ts'
import { SignInForm } from '../sign-in/sign-in-form.tsx'
import { shellTexts as texts } from '../texts/shell.ts'

/** The content of the page stays; a new sign-in continues it. After the sign-in of another account the page shows that account. */
export const SessionEnded = ({ session }: { session: Session }) => (
  <section className="session-ended" aria-label={texts.expiredTitle}>
    <p role="alert">
      <strong>{texts.expiredTitle}</strong>{' '}
      {session.kind === 'operator' ? texts.operatorExpiredAdvice : texts.expiredAdvice}
    </p>
    <SignInForm compact />
  </section>
)
