import { randomBytes } from 'node:crypto'
import { Webhook } from 'standardwebhooks'
import { Type } from 'typebox'
import type { Message } from '../../../accounts/events/message.ts'
import type { Outbound } from '../../../http/outbound/outbound.ts'
import type { ChannelAdapter } from '../adapter.ts'
import { checkAddress, hintOf, hostOf, postOnce } from './http-outcome.ts'

export interface WebhookConfig {
  url: string
  /** `whsec_…` */
  secret: string
}

/** The body of a webhook (Standard Webhooks, "Payload structure"). */
export const webhookBody = ({ type, occurredAt, data }: Message): string =>
  JSON.stringify({ type, timestamp: occurredAt.toISOString(), data })

/** The adapter for Standard Webhooks (https://www.standardwebhooks.com). */
export const createWebhookAdapter = (outbound: Outbound): ChannelAdapter<WebhookConfig> => ({
  type: 'webhook',
  unavailable: null,
  fields: {
    url: Type.String({
      minLength: 1,
      maxLength: 2_000,
      description: 'An https address that takes POSTs. It is never shown again',
    }),
  },
  initialState: 'active',
  prepare: async ({ url: text }, { signal }) => {
    const url = await checkAddress(outbound, 'url', String(text), signal)
    const secret = `whsec_${randomBytes(32).toString('base64')}`
    return { config: { url: url.href, secret }, hint: hintOf(url), host: hostOf(url), secret }
  },
  deliver: ({ url, secret }, message, { now, signal }) => {
    const body = webhookBody(message)
    // Whole seconds: the header has no more, and it is what is signed.
    const timestamp = new Date(Math.floor(now.getTime() / 1_000) * 1_000)
    const headers = {
      'content-type': 'application/json',
      'webhook-id': message.id,
      'webhook-timestamp': String(timestamp.getTime() / 1_000),
      'webhook-signature': new Webhook(secret).sign(message.id, timestamp, body),
    }
    return postOnce(outbound, { url, headers, body, signal })
  },
})
