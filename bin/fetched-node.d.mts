export function ensureFetchedNode(cache: string | null, platform?: string): string
