import { type ReactNode, useState } from 'react'
import { shellTexts as texts } from '../texts/shell.ts'

interface ConfirmButtonProps {
  children: ReactNode
  /** What will happen, in words; it is asked before it does. */
  question: string
  confirm: string
  busy: boolean
  onConfirm: () => void
  label?: string
}

/** A button for what cannot be taken back: it asks first, in its place. */
export function ConfirmButton({ children, question, confirm, busy, onConfirm, label }: ConfirmButtonProps) {
  const [isAsking, setAsking] = useState(false)
  if (!isAsking) {
    return (
      <button type="button" className="danger" aria-label={label} disabled={busy} onClick={() => setAsking(true)}>
        {children}
      </button>
    )
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: Esc answers no, from within the question
    <span
      className="confirm"
      onKeyDown={(event) => {
        if (event.key === 'Escape') setAsking(false)
      }}
    >
      <span role="alert">{question}</span>
      <button
        type="button"
        className="danger"
        // biome-ignore lint/a11y/noAutofocus: it stands where the button was that had the focus
        autoFocus
        disabled={busy}
        onClick={() => {
          setAsking(false)
          onConfirm()
        }}
      >
        {confirm}
      </button>
      <button type="button" className="quiet" onClick={() => setAsking(false)}>
        {texts.no}
      </button>
    </span>
  )
}
