import type { PlatformErrorCode, PlatformStatus } from '../api/types.ts'

/** What keeps a platform from answering. */
export interface Trouble {
  code: PlatformErrorCode
  message: string
  /** Whether some of its places answer all the same. */
  isPartial: boolean
}

/** What last went wrong with a platform and was not made good since; null when there is nothing of the kind. A limit is no trouble. */
export function troubleOf({ hosts }: Pick<PlatformStatus, 'hosts'>): Trouble | null {
  const isFailing = ({ lastError, lastSuccessAt }: PlatformStatus['hosts'][number]) =>
    lastError !== null && lastError.code !== 'rate_limited' && lastError.at > (lastSuccessAt ?? '')
  const worst = hosts.find(isFailing)
  if (!worst?.lastError) return null
  const isPartial = hosts.some((host) => host.lastSuccessAt !== null && !isFailing(host))
  const { code, message } = worst.lastError
  return { code, message: hosts.length > 1 ? `${worst.host}: ${message}` : message, isPartial }
}
