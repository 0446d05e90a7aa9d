import { useEffect, useRef } from 'react'
import { isTyping } from '../shell/typing.ts'

/** The keys of the list; `Enter` is the browser's, on the focused title. */
export interface ListKeys {
  next(): void
  previous(): void
  planned(): void
  done(): void
  ignored(): void
  star(): void
  same(): void
  close(): void
}

const actions: Record<string, keyof ListKeys> = {
  j: 'next',
  ArrowDown: 'next',
  k: 'previous',
  ArrowUp: 'previous',
  p: 'planned',
  e: 'done',
  i: 'ignored',
  s: 'star',
  m: 'same',
  Escape: 'close',
}

/** Listens to the keys while nothing is typed and no dialog is open. The arrows only move from one row to another. */
export function useListKeys(keys: ListKeys): void {
  const latest = useRef(keys)
  latest.current = keys
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      const { key, ctrlKey, metaKey, altKey, target } = event
      const action = actions[key]
      if (action === undefined || event.defaultPrevented || ctrlKey || metaKey || altKey || isTyping(target)) return
      if (document.querySelector('[role=dialog], [role=menu]') || (key.startsWith('Arrow') && !isRow(target))) return
      event.preventDefault()
      latest.current[action]()
    }
    document.addEventListener('keydown', onKeyDown)
    return () => document.removeEventListener('keydown', onKeyDown)
  }, [])
}

const isRow = (target: EventTarget | null) => target instanceof HTMLElement && target.hasAttribute('data-row')
