import type { Message } from '../../../accounts/events/message.ts'
import type { Outbound } from '../../../http/outbound/outbound.ts'
import { formedText } from '../../../http/schemas.ts'
import type { ChannelAdapter } from '../adapter.ts'
import type { AppriseConfig } from '../settings.ts'
import { postJson } from './http-outcome.ts'
import { fitting, plainLines, toLine, withoutHosts } from './text.ts'

export interface AppriseChannelConfig {
  tag: string
}

const lookalikes: Readonly<Record<string, string>> = {
  '<': '‹',
  '>': '›',
  '[': '(',
  ']': ')',
  '*': '∗',
  '`': 'ˋ',
  '~': '∼',
  '\\': '∖',
  '|': '¦',
  '&': '＆',
  '#': '＃',
  '!': 'ǃ',
}

/** Replaces HTML and Markdown characters by look-alikes: the service behind Apprise and its escapes are unknown. */
export const escapeApprise = (value: string): string =>
  withoutHosts(value)
    .replace(/[<>[\]*`~\\|&#!]/g, (one) => lookalikes[one]!)
    // Inside a word, it is no markup.
    .replace(/(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu, '‗')
    // A list or rule in Markdown.
    .replace(/^(\s*)([-+=])/g, '$1\u200b$2')
    .replace(/^(\s*\d+)([.)])/g, '$1\u200b$2')

const maxBody = 1_500

export const apprisePayload = (message: Message, tag: string): Record<string, unknown> => ({
  tag,
  title: escapeApprise(toLine(message.title, 200)) || 'Wishwell',
  body: [
    ...fitting(plainLines(message, escapeApprise), maxBody, (line) => line.length + 1),
    ...(message.link ? [`\n${message.link.url}`] : []),
  ]
    .join('\n')
    .trim(),
  type: 'info',
  format: 'text',
})

/** A tag in the operator's Apprise API (https://github.com/caronc/apprise-api), whose address may be private. */
export const createAppriseAdapter = (
  outbound: Outbound,
  config: AppriseConfig | null,
): ChannelAdapter<AppriseChannelConfig> => ({
  type: 'apprise',
  unavailable: config === null ? 'The operator has not configured Apprise (APPRISE_URL).' : null,
  fields: {
    tag: formedText('^[A-Za-z0-9][-_A-Za-z0-9]{0,63}$', 'letters, digits, - and _, at most 64', {
      description: 'A tag that the operator has set up',
    }),
  },
  initialState: 'active',
  prepare: async ({ tag }) => ({
    config: { tag: String(tag) },
    hint: `tag ${String(tag)}`,
    host: config === null ? 'apprise' : new URL(config.url).host,
  }),
  deliver: async ({ tag }, message, { signal }) => {
    if (config === null) return { outcome: 'failed', error: 'The operator has not configured Apprise.' }
    const url = `${config.url}/notify/${encodeURIComponent(config.key)}`
    // 424: a service behind Apprise failed.
    const payload = apprisePayload(message, tag)
    return postJson(outbound, { url, id: message.id, payload, signal }, { finalForMessage: [400] })
  },
})
