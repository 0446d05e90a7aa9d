import { type ReactNode, useEffect, useRef, useState } from 'react'
import { shellTexts as texts } from '../texts/shell.ts'
import { focusHeading } from './focus.ts'

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
  const button = useRef<HTMLButtonElement>(null)
  const saidNo = useRef(false)
  useEffect(() => {
    if (!isAsking && saidNo.current) button.current?.focus()
    saidNo.current = false
  }, [isAsking])
  const no = () => {
    saidNo.current = true
    setAsking(false)
  }
  const yes = () => {
    setAsking(false)
    // The button may go with what it does, and the focus with it.
    focusHeading()
    onConfirm()
  }
  if (!isAsking) {
    return (
      <button
        ref={button}
        type="button"
        className="danger"
        aria-label={label}
        disabled={busy}
        onClick={() => setAsking(true)}
      >
        {children}
      </button>
    )
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: Esc answers no, from within the question
    <span
      className="confirm"
      onKeyDown={(event) => {
        if (event.key === 'Escape') no()
      }}
    >
      <span role="alert">{question}</span>
      <button
        type="button"
        className="danger"
        // biome-ignore lint/a11y/noAutofocus: it stands where the button was that had the focus
        autoFocus
        disabled={busy}
        onClick={yes}
      >
        {confirm}
      </button>
      <button type="button" className="quiet" onClick={no}>
        {texts.no}
      </button>
    </span>
  )
}
