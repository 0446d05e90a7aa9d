export function openCacheDirectory(system?: {
  platform?: string
  environment?: Record<string, string | undefined>
  home?: string
}): string | null
