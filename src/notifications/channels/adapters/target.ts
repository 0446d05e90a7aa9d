import type { Outbound } from '../../../http/outbound/outbound.ts'
import { TargetRefusedError } from '../../../http/outbound/public-address.ts'
import { invalidField } from '../../../http/validation.ts'

/** Where an address leads, as host and port. */
export const hostOf = (url: URL): string => url.host

/** The last characters of a secret, enough to tell two apart and too few to use. */
export const lastOf = (text: string): string => (text.length < 12 ? '…' : `…${text.slice(-4)}`)

/** What is shown of an address whose path may be a secret. */
export const hintOf = (url: URL): string =>
  url.pathname === '/' && url.search === '' ? url.host : `${url.host}/${lastOf(`${url.pathname}${url.search}`)}`

/** Checks the address of a receiver. @throws ServiceError INVALID_REQUEST that names the field. */
export async function checkAddress(outbound: Outbound, field: string, text: string, signal: AbortSignal): Promise<URL> {
  try {
    return await outbound.checkTarget(text, signal)
  } catch (error) {
    if (error instanceof TargetRefusedError) throw invalidField(field, error.message.replace(/\.$/, ''))
    throw error
  }
}
