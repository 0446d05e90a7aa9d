export function isPageStale(): boolean
export function ensurePage(): boolean
export function buildPage(): Promise<void>
export function exchange(fresh: string, built: string): void
