import type { EventSubject, EventType } from '../../../accounts/events/events.ts'
import type { Message } from '../../../accounts/events/message.ts'
import type { Executor } from '../../../database/open.ts'
import type { NewsKind } from '../../../database/tables/watches.ts'

/** Nulls each `url` in the data for programs: all are links to our page. */
function withoutUrls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutUrls)
  if (value === null || typeof value !== 'object') return value
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [name, name === 'url' ? null : withoutUrls(one)]),
  )
}

/** A message without links, for a service that does not know its own public address. */
export const withoutLinks = (message: Message): Message => ({
  ...message,
  link: null,
  sections: message.sections.map((section) => ({
    ...section,
    items: section.items.map((item) => ({ ...item, url: null })),
  })),
  data: withoutUrls(message.data) as Message['data'],
})

/** Replaces a missing title. */
export const untitled = 'Untitled'

/** An id in an event's subject; null if none. */
export const idIn = (subject: Readonly<Record<string, string | number | null>>, name: string): string | null => {
  const value = subject[name]
  return typeof value === 'string' && value !== '' ? value : null
}

export const numberIn = (subject: Readonly<Record<string, string | number | null>>, name: string): number => {
  const value = subject[name]
  return typeof value === 'number' ? value : 0
}

const statusWords: Readonly<Record<string, string>> = { in_progress: 'in progress' }

export const statusLabel = (status: string | null): string =>
  status === null ? 'without a status' : (statusWords[status] ?? status.replaceAll('_', ' '))

export interface ToldEvent {
  eventId: string
  type: EventType
  subject: EventSubject
  occurredAt: Date
}

export interface RenderInput {
  executor: Executor
  accountId: string
  event: ToldEvent
  now: Date
  /** The base of links, without a trailing slash. */
  publicUrl: string
  /** Kinds of watch news that the channel does not want. */
  mutedNews?: readonly NewsKind[]
}

/** Makes the message of an event from the current data; null if nothing is left to tell. */
export type RenderEvent = (input: RenderInput) => Promise<Message | null>

/** What a renderer adds to the common parts of a message. */
export type MessageText = Omit<Message, 'id' | 'type' | 'occurredAt'>

export type Renderer = (input: RenderInput) => Promise<MessageText | null>
