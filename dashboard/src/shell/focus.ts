/** Focuses the heading after the focused element was removed: the next Tab must not begin at the browser's own bar. */
export const focusHeading = (): void => document.getElementById('heading')?.focus({ preventScroll: true })

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
