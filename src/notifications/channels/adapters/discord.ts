import type { Message } from '../../../accounts/events/message.ts'
import type { Outbound } from '../../../http/outbound/outbound.ts'
import { chatWebhook } from './http-outcome.ts'
import { fitting, linesOf, type MessageLine, toLine, withoutAddresses } from './text.ts'

/** Escapes Discord's Markdown, and breaks mentions and addresses. */
export const escapeDiscord = (value: string): string =>
  withoutAddresses(value)
    .replace(/[\\`*_~|<>#[\](){}:+=.!^-]/g, '\\$&')
    .replaceAll('@', '@\u200b')

// Limits: 256 for a title, 4,096 for a description, 6,000 in total
// (https://docs.discord.com/developers/resources/message#embed-object-embed-limits).
const maxTitle = 256
const maxDescription = 4_096

/** Half of the title's limit, because escaping can double it. */
const titleOf = (title: string) => escapeDiscord(toLine(title, maxTitle / 2 - 20)).slice(0, maxTitle)

/** Our own URLs contain no characters that would end a link. */
const isPlainUrl = (url: string) => /^https?:\/\/[^\s()<>[\]\\"]+$/.test(url)

function toMarkdown(line: MessageLine): string {
  switch (line.kind) {
    case 'heading':
      return `**${escapeDiscord(line.text)}**`
    case 'item': {
      const title = escapeDiscord(line.title === '' ? 'Untitled' : line.title)
      const linked = line.url !== null && isPlainUrl(line.url) ? `[${title}](${line.url})` : title
      return `- ${linked}${line.detail === '' ? '' : ` – ${escapeDiscord(line.detail)}`}`
    }
    default:
      return escapeDiscord(line.text)
  }
}

/** The payload of a Discord webhook. */
export function discordPayload(message: Message): Record<string, unknown> {
  const lines = linesOf(message).map(toMarkdown)
  const description = fitting(lines, maxDescription, (line) => line.length + 1).join('\n')
  return {
    // Do not set flag 4 (SUPPRESS_EMBEDS): it would hide this embed. Without `content`, nothing is unfurled anyway.
    allowed_mentions: { parse: [] },
    embeds: [
      {
        title: titleOf(message.title) || 'Wishwell',
        ...(message.link ? { url: message.link.url } : {}),
        ...(description === '' ? {} : { description }),
        timestamp: message.occurredAt.toISOString(),
      },
    ],
  }
}

const hosts = /^(?:(?:canary|ptb)\.)?discord(?:app)?\.com$/

/** The adapter for Discord webhooks. */
export const createDiscordAdapter = (outbound: Outbound) =>
  chatWebhook(outbound, {
    type: 'discord',
    description: 'The address of a webhook, `https://discord.com/api/webhooks/…`. It is never shown again',
    isItsOwn: ({ hostname, pathname }) => hosts.test(hostname) && pathname.startsWith('/api/webhooks/'),
    rule: 'must be an address of a webhook of discord.com',
    payload: discordPayload,
  })
