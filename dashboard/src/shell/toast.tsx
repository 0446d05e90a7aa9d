import { useEffect, useSyncExternalStore } from 'react'
import { shellTexts as texts } from '../texts/shell.ts'

/** What was done just now, and how it is taken back. */
interface Toast {
  text: string
  undo: (() => Promise<unknown>) | null
}

const shownMs = 10_000
let shown: Toast | null = null
const listeners = new Set<() => void>()

/** Says what was done; null removes it. */
export function tell(toast: Toast | null): void {
  shown = toast
  for (const listener of listeners) listener()
}

const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

/** Where it is said, once for the whole page. */
export function Toasts() {
  const toast = useSyncExternalStore(subscribe, () => shown)
  useEffect(() => {
    if (toast === null) return
    const timer = setTimeout(() => tell(null), shownMs)
    return () => clearTimeout(timer)
  }, [toast])
  const undo = async () => {
    const { undo: takeBack } = toast ?? {}
    tell(null)
    try {
      await takeBack?.()
      tell({ text: texts.undone, undo: null })
    } catch {
      tell({ text: texts.undoFailed, undo: null })
    }
  }
  return (
    <div className="toast" role="status">
      {toast && (
        <p>
          {toast.text}
          {toast.undo && (
            <button type="button" onClick={() => void undo()}>
              {texts.undo}
            </button>
          )}
        </p>
      )}
    </div>
  )
}
