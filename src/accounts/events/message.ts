import type { EventType } from './events.ts'

// An event's content, before it becomes mail, chat or webhook. Made at each delivery, from current data.

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
  /** Our sentence about the items, below the heading; digests show a message's sections only. */
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
