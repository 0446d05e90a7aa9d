import { randomBytes } from 'node:crypto'
import { Webhook } from 'standardwebhooks'
import type { Outbound } from '../../../http/outbound/outbound.ts'
import { asId } from '../../../platforms/content/fields.ts'
import type { Clock } from '../../../runtime/clock.ts'
import { checkAddress, hintOf } from '../../channels/adapters/http-outcome.ts'
import { markdownOf } from '../issue-text.ts'
import type { TrackerAdapter } from '../tracker.ts'
import { callTracker, issueOf, required, single } from './calls.ts'

interface WebhookConfig {
  url: string
  /** `whsec_…` */
  secret: string
}

const service = 'The receiver'

/**
 * A receiver that makes issues, by Standard Webhooks (https://www.standardwebhooks.com). `webhook-id` is the push id,
 * so that it recognizes repeats. Its answer may name the issue: `{"id": …, "url": …}`.
 */
export function createWebhookTracker(outbound: Outbound, clock: Clock): TrackerAdapter<WebhookConfig> {
  const post = async ({ url, secret }: WebhookConfig, id: string, type: string, data: object, signal: AbortSignal) => {
    // Whole seconds, as in the header.
    const sentAt = new Date(Math.floor(clock.now().getTime() / 1_000) * 1_000)
    const body = JSON.stringify({ type, timestamp: sentAt.toISOString(), data })
    const headers = {
      'content-type': 'application/json',
      'webhook-id': id,
      'webhook-timestamp': String(sentAt.getTime() / 1_000),
      'webhook-signature': new Webhook(secret).sign(id, sentAt, body),
    }
    return single(
      await callTracker(outbound, { service, url, method: 'POST', headers, body, allowsText: true, signal }),
    )
  }
  return {
    type: 'webhook',
    fields: ['url'],
    settleMs: 60_000,
    pauseMs: 0,
    prepare: async (fields, signal) => {
      const url = await checkAddress(outbound, 'url', required(fields, 'url'), signal)
      const secret = `whsec_${randomBytes(32).toString('base64')}`
      return { config: { url: url.href, secret }, hint: hintOf(url), secret }
    },
    create: async (config, { id: pushId }, text, signal) => {
      const data = { pushId, title: text.title, markdown: markdownOf(text), ...text.counts }
      const { id, url } = await post(config, pushId, 'wish.pushed', data, signal)
      const named = asId(id) ?? pushId
      return issueOf(service, { id: named, key: named, url, status: null })
    },
    undo: async (config, { id }, { id: pushId }, signal) => {
      await post(config, `${pushId}-undone`, 'wish.push_undone', { pushId, id }, signal)
    },
  }
}
