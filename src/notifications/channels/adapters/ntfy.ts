import { Type } from 'typebox'
import type { Message } from '../../../accounts/events/message.ts'
import type { Outbound } from '../../../http/outbound/outbound.ts'
import { formedText } from '../../../http/schemas.ts'
import type { ChannelAdapter } from '../adapter.ts'
import { checkAddress, hostOf, lastOf, postJson } from './http-outcome.ts'
import { fitting, plainLines, toLine, withoutHosts } from './text.ts'

export interface NtfyConfig {
  server: string
  topic: string
  token: string | null
}

// ntfy turns messages over 4,096 bytes into attachments (https://docs.ntfy.sh/publish/#limitations).
const maxMessageBytes = 3_900

const bytes = (line: string) => Buffer.byteLength(line) + 1

/** A message as ntfy JSON, in plain text: `markdown` is not set, and its apps link only addresses. */
export function ntfyPayload(message: Message, topic: string): Record<string, unknown> {
  const lines = fitting(plainLines(message, withoutHosts), maxMessageBytes, bytes)
  return {
    topic,
    title: withoutHosts(toLine(message.title, 200)) || 'Wishwell',
    // An empty message would show as "triggered".
    message: lines.join('\n').trim() || 'Open Wishwell for more.',
    ...(message.link ? { click: message.link.url } : {}),
  }
}

/** The adapter for a topic of ntfy.sh or another server. */
export const createNtfyAdapter = (outbound: Outbound): ChannelAdapter<NtfyConfig> => ({
  type: 'ntfy',
  unavailable: null,
  fields: {
    server: Type.Optional(Type.String({ minLength: 1, maxLength: 500, description: 'By default `https://ntfy.sh`' })),
    topic: formedText('^[-_A-Za-z0-9]{1,64}$', 'letters, digits, - and _, at most 64', {
      isSecret: true,
      description: 'Whoever knows it can read it on a public server, so it is never shown again',
    }),
    token: Type.Optional(
      formedText('^[\\x21-\\x7e]{1,200}$', 'ASCII without spaces, at most 200 characters', {
        isSecret: true,
        description: 'An access token. It is never shown again',
      }),
    ),
  },
  initialState: 'active',
  prepare: async ({ server = 'https://ntfy.sh', topic, token = null }, { signal }) => {
    const url = await checkAddress(outbound, 'server', String(server), signal)
    // JSON messages are posted to the server's root, which may be below a path.
    const root = `${url.origin}${url.pathname.replace(/\/*$/, '/')}`
    const config = { server: root, topic: String(topic), token: token === null ? null : String(token) }
    return { config, hint: `${url.host}/${lastOf(config.topic)}`, host: hostOf(url) }
  },
  deliver: ({ server, topic, token }, message, { signal }) =>
    postJson(
      outbound,
      {
        ...{ url: server, id: message.id, payload: ntfyPayload(message, topic), signal },
        ...(token === null ? {} : { headers: { authorization: `Bearer ${token}` } }),
      },
      { finalForMessage: [400, 413] },
    ),
})
