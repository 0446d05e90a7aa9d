import { type Outbound, TargetFailedError, type TargetRequest } from '../../../http/outbound/outbound.ts'
import { TargetRefusedError } from '../../../http/outbound/public-address.ts'
import { invalidField } from '../../../http/validation.ts'
import type { DeliveryOutcome } from '../adapter.ts'

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

/** What an account can repair, and what repeating does not. */
export interface StatusRules {
  /** Statuses after which the same message is not sent again, such as 400 for a receiver that checks the message itself. */
  finalForMessage?: readonly number[]
  /** Statuses that say that the receiver is gone for good, besides 410. */
  finalForChannel?: readonly number[]
}

const isSuccess = (status: number) => status >= 200 && status < 300
const isRedirect = (status: number) => status >= 300 && status < 400

function describe(status: number): string {
  if (isRedirect(status))
    return `The receiver answered ${status}, a redirect. Redirects are not followed: give the address that it leads to.`
  return `The receiver answered ${status}.`
}

/** Posts a message, and says what came of it by the rules of Standard Webhooks. */
export async function postOnce(
  outbound: Outbound,
  target: TargetRequest,
  { finalForMessage = [], finalForChannel = [] }: StatusRules = {},
): Promise<DeliveryOutcome> {
  try {
    const { status, retryAfterMs } = await outbound.post(target)
    if (isSuccess(status)) return { outcome: 'delivered', status }
    const failed = { outcome: 'failed', status, error: describe(status) } as const
    if (status === 410 || finalForChannel.includes(status)) return { ...failed, isFinal: 'channel' }
    if (finalForMessage.includes(status)) return { ...failed, isFinal: 'delivery' }
    const isAsked = (status === 429 || status === 503) && retryAfterMs !== null
    return isAsked ? { ...failed, retryAfterMs } : failed
  } catch (error) {
    if (error instanceof TargetRefusedError || error instanceof TargetFailedError) {
      return { outcome: 'failed', error: error.message }
    }
    throw error
  }
}
