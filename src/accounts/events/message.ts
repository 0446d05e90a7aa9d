import type { EventType } from './events.ts'

// An event's content, before it becomes mail, chat or webhook. Made at each delivery, from current data.

export { count as counted } from '../../runtime/count.ts'

/** A wish, request or job in a message. */
export interface MessageItem {
  /** Plain text from a platform, escaped by each channel. */
  title: string
  /** Our page, by PUBLIC_URL; null without it. */
  url: string | null
  /** Our words, e.g. `+12 votes · GitHub`; plain text. */
  detail: string
  /** Start of its text, from a platform, for roomy formats. */
  excerpt?: string
}

export interface MessageSection {
  heading: string
  /** Our sentence about the items, below the heading; digests show a message's sections only. */
  note?: string
  items: MessageItem[]
  /** How many exist beyond `items`. */
  more: number
}

export interface Message {
  /** The event's or digest's id, equal in repeated deliveries. */
  id: string
  /** `digest`: several events in one message. */
  type: EventType | 'digest'
  occurredAt: Date
  /** One line of plain text, perhaps with a watch's or topic's name. */
  title: string
  /** Our sentences, plain text. */
  paragraphs: string[]
  sections: MessageSection[]
  link: { label: string; url: string } | null
  data: Record<string, unknown>
}
