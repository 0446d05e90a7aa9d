import { useState } from 'react'
import { shellTexts as texts } from '../texts/shell.ts'

/** Copies a text, and says whether that succeeded. Browsers allow it over HTTPS and on localhost only. */
export function CopyButton({ text, label = texts.copy }: { text: string; label?: string }) {
  const [state, setState] = useState<'ready' | 'copied' | 'failed'>('ready')
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text)
      setState('copied')
    } catch {
      setState('failed')
    }
  }
  return (
    <span className="copy">
      <button type="button" onClick={() => void copy()} onBlur={() => setState('ready')}>
        {label}
      </button>
      <span role="status" className="note">
        {state === 'copied' ? texts.copied : state === 'failed' ? texts.copyFailed : ''}
      </span>
    </span>
  )
}
