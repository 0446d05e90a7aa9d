/** Focuses the heading after the focused element was removed: the next Tab must not begin at the browser's own bar. */
export const focusHeading = (): void => document.getElementById('heading')?.focus({ preventScroll: true })

/** A `ref` that focuses what replaces the element that had the focus. */
export const focusAtOnce = (element: HTMLElement | null): void => element?.focus()
