export function isPageStale(): boolean
export function ensurePage(): boolean
export function buildPage(): Promise<void>
