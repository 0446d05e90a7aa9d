import type { EventType } from './events.ts'

// What is told of an event, before it has the form of a mail, a chat or a webhook. Made at each delivery, from what is stored then.

export { count as counted } from '../../runtime/count.ts'

/** A wish, request or job in a message. */
export interface MessageItem {
  /** Plain text from a platform: each channel escapes it. */
  title: string
  /** Of our own page, made with PUBLIC_URL; null where there is none. */
  url: string | null
  /** Words of our own, such as `+12 votes · GitHub`; plain text. */
  detail: string
  /** The beginning of its text, from a platform, for formats with room for it. */
  excerpt?: string
}

export interface MessageSection {
  heading: string
  /** A sentence of our own about the items, below the heading: a digest has the sections of its messages, not their paragraphs. */
  note?: string
  items: MessageItem[]
  /** How many more there are than `items`. */
  more: number
}

export interface Message {
  /** Of the event, or of the digest: the same in each repeated delivery. */
  id: string
  /** `digest`: several events in one message. */
  type: EventType | 'digest'
  occurredAt: Date
  /** One line of plain text; it may hold the name of a watch or a topic. */
  title: string
  /** Sentences of our own, plain text. */
  paragraphs: string[]
  sections: MessageSection[]
  /** Where to go on. */
  link: { label: string; url: string } | null
  /** The same for programs: what a webhook gets as `data`. */
  data: Record<string, unknown>
}
