/** Focuses the heading after the focused element was removed: the next Tab must not begin at the browser's own bar. */
export const focusHeading = (): void => document.getElementById('heading')?.focus({ preventScroll: true })

/** What had the focus when the address turned to a page that is still loading. */
let focusAtTurn: Element | null = null
let hasTurned = false

/** The id of what takes the focus of the address that is coming, in place of its heading. */
let awaitedId: string | null = null

/** Focuses the heading of a new address, so that screen readers announce it: at once, or when it is there. */
export function focusOnTurn(): void {
  hasTurned = true
  if (awaitedId !== null) {
    document.getElementById(awaitedId)?.focus()
    return
  }
  focusAtTurn = document.activeElement
  if (document.getElementById('heading') === null) return
  focusAtTurn = null
  focusHeading()
}

/** The `ref` of a heading: it takes the focus that its page waits for, or that was lost with what the page showed before. */
export function focusIfAwaited(heading: HTMLElement | null): void {
  const present = document.activeElement
  if (heading === null || !hasTurned || awaitedId !== null || (present !== document.body && present !== focusAtTurn))
    return
  focusAtTurn = null
  heading.focus({ preventScroll: true })
}

/** A `ref` that focuses what replaces the element that had the focus. */
export const focusAtOnce = (element: HTMLElement | null): void => element?.focus()

/** Focuses an element that the next renders bring, after what they focus themselves. */
export function focusWhenThere(id: string): void {
  awaitedId = id
  const look = (tries: number) =>
    setTimeout(() => {
      if (awaitedId !== id) return
      const element = document.getElementById(id)
      element?.focus()
      if (element === null && tries > 0) look(tries - 1)
      // The effects of the new address may be still to come.
      else setTimeout(() => awaitedId === id && forget(), 500)
    }, 50)
  look(60)
}

const forget = () => {
  awaitedId = null
}
