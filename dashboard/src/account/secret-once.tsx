import { type ReactNode, useEffect, useRef } from 'react'
import { CopyButton } from '../shell/copy-button.tsx'
import { focusHeading } from '../shell/focus.ts'
import { shellTexts } from '../texts/shell.ts'

interface SecretOnceProps {
  title: string
  advice: string
  secret: string
  onClose: () => void
  /** How the secret is used. */
  children?: ReactNode
}

/** A secret that is shown once. It takes the focus, so that screen readers announce it. */
export function SecretOnce({ title, advice, secret, onClose, children }: SecretOnceProps) {
  const heading = useRef<HTMLParagraphElement>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: a second secret must be announced, too
  useEffect(() => heading.current?.focus(), [secret])
  const close = () => {
    onClose()
    // The focused button is removed with the secret.
    focusHeading()
  }
  return (
    <section className="secret" aria-label={title}>
      <p ref={heading} tabIndex={-1}>
        <strong>{title}</strong> {advice}
      </p>
      <code>{secret}</code>
      {children}
      <div className="actions">
        <CopyButton text={secret} />
        <button type="button" className="quiet" onClick={close}>
          {shellTexts.close}
        </button>
      </div>
    </section>
  )
}
