import type { KeyboardEvent } from 'react'
import { searchBoxId } from '../shell/shortcuts.ts'

/** Marks the elements that the arrow keys focus. */
export const resultAttribute = 'data-result'

/** The arrow keys move the focus from the search box through the results; Esc returns it to the box. Enter opens the focused link. */
export function moveThrough(event: KeyboardEvent, container: HTMLElement | null): void {
  const { key, target } = event
  if (container === null || event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return
  if (!(target instanceof HTMLElement) || !container.contains(target)) return
  const box = document.getElementById(searchBoxId)
  const results = [...container.querySelectorAll<HTMLElement>(`[${resultAttribute}]`)]
  const at = results.findIndex((result) => result === target || result.closest('article')?.contains(target))
  if (at < 0 && target !== box) return
  if (key === 'Escape' && at >= 0) box?.focus()
  else if (key === 'ArrowDown' && results[at + 1]) focusOn(results[at + 1]!)
  else if (key === 'ArrowUp' && at > 0) focusOn(results[at - 1]!)
  else if (key === 'ArrowUp' && at === 0) box?.focus()
  else return
  event.preventDefault()
}

function focusOn(element: HTMLElement): void {
  element.focus({ preventScroll: true })
  element.closest('article')?.scrollIntoView({ block: 'nearest' })
}
