import { useEffect, useRef } from 'react'
import { CopyButton } from '../shell/copy-button.tsx'
import { shellTexts } from '../texts/shell.ts'

interface SecretOnceProps {
  title: string
  advice: string
  secret: string
  onClose: () => void
}

/** A secret that is shown this once: it takes the focus, so that nobody misses it. */
export function SecretOnce({ title, advice, secret, onClose }: SecretOnceProps) {
  const heading = useRef<HTMLParagraphElement>(null)
  useEffect(() => heading.current?.focus(), [])
  return (
    <section className="secret" aria-label={title}>
      <p ref={heading} tabIndex={-1}>
        <strong>{title}</strong> {advice}
      </p>
      <code>{secret}</code>
      <div className="actions">
        <CopyButton text={secret} />
        <button type="button" className="quiet" onClick={onClose}>
          {shellTexts.close}
        </button>
      </div>
    </section>
  )
}
