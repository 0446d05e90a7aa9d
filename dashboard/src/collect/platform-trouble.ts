import type { PlatformErrorCode, PlatformStatus } from '../api/types.ts'

/** Why a platform does not answer. */
export interface Trouble {
  code: PlatformErrorCode
  message: string
  /** Whether some of its hosts still answer. */
  isPartial: boolean
}

/** The last failure of a platform that no success has followed; null when there is none. A limit is not a failure. */
export function troubleOf({ hosts }: Pick<PlatformStatus, 'hosts'>): Trouble | null {
  const isFailing = ({ lastError, lastSuccessAt }: PlatformStatus['hosts'][number]) =>
    lastError !== null && lastError.code !== 'rate_limited' && lastError.at > (lastSuccessAt ?? '')
  const worst = hosts.find(isFailing)
  if (!worst?.lastError) return null
  const isPartial = hosts.some((host) => host.lastSuccessAt !== null && !isFailing(host))
  const { code, message } = worst.lastError
  return { code, message: hosts.length > 1 ? `${worst.host}: ${message}` : message, isPartial }
}
