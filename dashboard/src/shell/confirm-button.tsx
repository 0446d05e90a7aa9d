import { type ReactNode, useEffect, useRef, useState } from 'react'
import { shellTexts as texts } from '../texts/shell.ts'
import { focusAtOnce, focusHeading } from './focus.ts'

interface ConfirmButtonProps {
  children: ReactNode
  /** Describes the effect; it must be confirmed first. */
  question: string
  confirm: string
  busy: boolean
  onConfirm: () => void
  /** What stands beside the question, such as another answer to it: calls `answer` with what that does. */
  more?: (answer: (effect: () => void) => void) => ReactNode
  label?: string
  /** How the button looks; by default as one whose effect is a loss. */
  className?: string
}

/** A button for an effect that cannot be undone, or that costs something. A question replaces it until it is answered. */
export function ConfirmButton(props: ConfirmButtonProps) {
  const { children, question, confirm, busy, onConfirm, more, label, className = 'danger' } = props
  const [isAsking, setAsking] = useState(false)
  const button = useRef<HTMLButtonElement>(null)
  const wasDeclined = useRef(false)
  useEffect(() => {
    // Of a key that follows at once: the effect of the question may run after it was declined.
    if (isAsking || !wasDeclined.current) return
    wasDeclined.current = false
    button.current?.focus()
  }, [isAsking])
  const decline = () => {
    wasDeclined.current = true
    setAsking(false)
  }
  const answer = (effect: () => void) => {
    setAsking(false)
    // The effect may remove the button that has the focus.
    focusHeading()
    effect()
  }
  const accept = () => answer(onConfirm)
  if (isAsking)
    return <Question {...{ question, confirm, busy, accept, decline, className }}>{more?.(answer)}</Question>
  return (
    <button
      ref={button}
      type="button"
      className={className}
      aria-label={label}
      disabled={busy}
      onClick={() => setAsking(true)}
    >
      {children}
    </button>
  )
}

interface QuestionProps {
  question: string
  confirm: string
  busy: boolean
  className: string
  children: ReactNode
  accept: () => void
  decline: () => void
}

const Question = ({ question, confirm, busy, className, children, accept, decline }: QuestionProps) => (
  // biome-ignore lint/a11y/noStaticElementInteractions: Esc declines, from within the question
  <span
    className="confirm"
    onKeyDown={(event) => {
      if (event.key === 'Escape') decline()
    }}
  >
    <span role="alert">{question}</span>
    <button type="button" className={className} ref={focusAtOnce} disabled={busy} onClick={accept}>
      {confirm}
    </button>
    {children}
    <button type="button" className="quiet" onClick={decline}>
      {texts.no}
    </button>
  </span>
)
