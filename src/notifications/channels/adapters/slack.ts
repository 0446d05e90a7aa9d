import type { Message } from '../../../accounts/events/message.ts'
import type { Outbound } from '../../../http/outbound/outbound.ts'
import { chatWebhook } from './http-outcome.ts'
import { linesOf, type MessageLine, toLine, withoutAddresses } from './text.ts'

// In rich text, Slack interprets nothing: mentions, links and styles need elements. Only `text`, the fallback for
// notifications, uses markup (https://docs.slack.dev/messaging/formatting-message-text).

type Inline =
  | { type: 'text'; text: string; style?: { bold?: boolean } }
  | { type: 'link'; url: string; text: string; style?: { bold?: boolean } }

const text = (value: string, bold = false): Inline[] =>
  value === '' ? [] : [{ type: 'text', text: value, ...(bold ? { style: { bold } } : {}) }]

/** Slack's three markup characters, and those that style. */
export const escapeSlack = (value: string): string =>
  withoutAddresses(value)
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    // They style only next to a space or the text's end.
    .replace(/[*_~`]/g, '\u200b$&\u200b')
    .replace(/@(?=\S)/g, '@\u200b')

function inlineOf(line: MessageLine): Inline[] {
  switch (line.kind) {
    case 'heading':
      return text(line.text, true)
    case 'item': {
      const title: Inline[] =
        line.url === null ? text(line.title) : [{ type: 'link', url: line.url, text: line.title || line.url }]
      return [...title, ...text(line.detail === '' ? '' : ` – ${line.detail}`)]
    }
    default:
      return text(line.text)
  }
}

/** Rich text sections: lists for items, paragraphs for the rest. */
function elementsOf(lines: readonly MessageLine[]): unknown[] {
  const elements: { type: string; style?: string; elements: unknown[] }[] = []
  for (const line of lines) {
    const section = { type: 'rich_text_section', elements: inlineOf(line) }
    if (section.elements.length === 0) continue
    const last = elements.at(-1)
    if (line.kind !== 'item')
      elements.push({ ...section, elements: [...section.elements, { type: 'text', text: '\n' }] })
    else if (last?.type === 'rich_text_list') last.elements.push(section)
    else elements.push({ type: 'rich_text_list', style: 'bullet', elements: [section] })
  }
  return elements
}

/** Lines sent to Slack, which allows more. */
const maxLines = 60

/** The payload of a Slack incoming webhook. */
export function slackPayload(message: Message): Record<string, unknown> {
  const title = toLine(message.title, 150)
  const all = linesOf(message)
  const lines: MessageLine[] = all.slice(0, maxLines)
  if (all.length > maxLines) lines.push({ kind: 'more', text: '…' })
  const elements = elementsOf(lines)
  const link = message.link && {
    type: 'rich_text_section',
    elements: [{ type: 'link', url: message.link.url, text: message.link.label }],
  }
  const content = [...elements, ...(link ? [link] : [])]
  return {
    text: escapeSlack(title),
    mrkdwn: false,
    unfurl_links: false,
    unfurl_media: false,
    blocks: [
      { type: 'header', text: { type: 'plain_text', text: title === '' ? 'Wishwell' : title, emoji: false } },
      ...(content.length === 0 ? [] : [{ type: 'rich_text', elements: content }]),
    ],
  }
}

const hosts = new Set(['hooks.slack.com', 'hooks.slack-gov.com'])

/** Slack's incoming webhooks. Compatible programs do not escape as Slack does, so they are refused (decision 058). */
export const createSlackAdapter = (outbound: Outbound) =>
  chatWebhook(outbound, {
    type: 'slack',
    description: 'The address of an incoming webhook, `https://hooks.slack.com/services/…`. It is never shown again',
    isItsOwn: ({ hostname }) => hosts.has(hostname),
    rule: 'must be an address of hooks.slack.com',
    payload: slackPayload,
  })
