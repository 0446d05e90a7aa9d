/** Puts the focus to the beginning of the page, where what had it is gone: the next Tab must not begin at the browser's own bar. */
export const focusHeading = (): void => document.getElementById('heading')?.focus({ preventScroll: true })
