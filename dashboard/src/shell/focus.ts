/** Focuses the heading after the focused element was removed: the next Tab must not begin at the browser's own bar. */
export const focusHeading = (): void => document.getElementById('heading')?.focus({ preventScroll: true })

/** What had the focus when the address turned to a page that is still loading. */
let focusAtTurn: Element | null = null
let hasTurned = false

/** Focuses the heading of a new address, so that screen readers announce it: at once, or when it is there. */
export function focusOnTurn(): void {
  hasTurned = true
  focusAtTurn = document.activeElement
  if (document.getElementById('heading') === null) return
  focusAtTurn = null
  focusHeading()
}

/** The `ref` of a heading: it takes the focus that its page waits for, or that was lost with what the page showed before. */
export function focusIfAwaited(heading: HTMLElement | null): void {
  const present = document.activeElement
  if (heading === null || !hasTurned || (present !== document.body && present !== focusAtTurn)) return
  focusAtTurn = null
  heading.focus({ preventScroll: true })
}

/** A `ref` that focuses what replaces the element that had the focus. */
export const focusAtOnce = (element: HTMLElement | null): void => element?.focus()

/** Focuses an element that the next renders bring, after what they focus themselves. */
export function focusWhenThere(id: string, tries = 60): void {
  setTimeout(() => {
    const element = document.getElementById(id)
    if (element) element.focus()
    else if (tries > 0) focusWhenThere(id, tries - 1)
  }, 50)
}
