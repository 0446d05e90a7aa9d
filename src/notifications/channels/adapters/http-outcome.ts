import { Type } from 'typebox'
import type { Message } from '../../../accounts/events/message.ts'
import { type Outbound, TargetFailedError, type TargetRequest } from '../../../http/outbound/outbound.ts'
import { TargetRefusedError } from '../../../http/outbound/public-address.ts'
import { invalidField } from '../../../http/validation.ts'
import type { ChannelAdapter, DeliveryOutcome } from '../adapter.ts'

/** Host and port of a URL. */
export const hostOf = (url: URL): string => url.host

/** The end of a secret: enough to tell two apart, too little to use. */
export const lastOf = (text: string): string => (text.length < 12 ? '…' : `…${text.slice(-4)}`)

/** What to show of a URL whose path may be a secret. */
export const hintOf = (url: URL): string =>
  url.pathname === '/' && url.search === '' ? url.host : `${url.host}/${lastOf(`${url.pathname}${url.search}`)}`

/** Checks a receiver's address. @throws ServiceError INVALID_REQUEST that names the field. */
export async function checkAddress(outbound: Outbound, field: string, text: string, signal: AbortSignal): Promise<URL> {
  try {
    return await outbound.checkTarget(text, signal)
  } catch (error) {
    if (error instanceof TargetRefusedError) throw invalidField(field, error.message.replace(/^It |\.$/g, ''))
    throw error
  }
}

/** What an account can repair, and repetition cannot. */
export interface StatusRules {
  /** Statuses after which the message is not resent, such as 400 from a receiver that validates it. */
  finalForMessage?: readonly number[]
  /** Statuses besides 410 that mean the receiver is gone for good. */
  finalForChannel?: readonly number[]
}

const isSuccess = (status: number) => status >= 200 && status < 300
const isRedirect = (status: number) => status >= 300 && status < 400

function describe(status: number): string {
  if (isRedirect(status))
    return `The receiver answered ${status}, a redirect. Redirects are not followed: give the address that it leads to.`
  return `The receiver answered ${status}.`
}

/** Posts a message and judges the result by Standard Webhooks. */
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

/** Posts a payload as JSON, with the message's id. */
export const postJson = (
  outbound: Outbound,
  {
    id,
    payload,
    headers = {},
    ...target
  }: { url: string; id: string; payload: unknown; headers?: Record<string, string>; signal: AbortSignal },
  rules: StatusRules,
): Promise<DeliveryOutcome> =>
  postOnce(
    outbound,
    {
      ...target,
      headers: { 'content-type': 'application/json', 'webhook-id': id, ...headers },
      body: JSON.stringify(payload),
    },
    rules,
  )

/** The incoming webhook of a chat service. @param isItsOwn not asked if private targets are allowed, as in tests */
export const chatWebhook = (
  outbound: Outbound,
  service: {
    type: ChannelAdapter<{ url: string }>['type']
    description: string
    isItsOwn: (url: URL) => boolean
    rule: string
    payload: (message: Message) => unknown
  },
): ChannelAdapter<{ url: string }> => ({
  type: service.type,
  unavailable: null,
  fields: { url: Type.String({ minLength: 1, maxLength: 2_000, description: service.description }) },
  initialState: 'active',
  prepare: async ({ url: value }, { signal }) => {
    const url = await checkAddress(outbound, 'url', String(value), signal)
    if (!outbound.allowsPrivateTargets && !service.isItsOwn(url)) throw invalidField('url', service.rule)
    return { config: { url: url.href }, hint: hintOf(url), host: hostOf(url) }
  },
  // 400 concerns the payload. 403 and 404: the webhook or its channel was removed, which may be undone.
  deliver: ({ url }, message, { signal }) =>
    postJson(outbound, { url, id: message.id, payload: service.payload(message), signal }, { finalForMessage: [400] }),
})
