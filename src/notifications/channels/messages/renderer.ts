import type { EventSubject, EventType } from '../../../accounts/events/events.ts'
import type { Message } from '../../../accounts/events/message.ts'
import type { Executor } from '../../../database/open.ts'

/** An event that is told to an account. */
export interface ToldEvent {
  eventId: string
  type: EventType
  subject: EventSubject
  occurredAt: Date
}

export interface RenderInput {
  executor: Executor
  /** As whom it is read. */
  accountId: string
  event: ToldEvent
  now: Date
  /** The base of links, without a slash at the end. */
  publicUrl: string
}

/** Makes the message of an event from what is stored now; null when nothing is left to tell. */
export type RenderEvent = (input: RenderInput) => Promise<Message | null>

/** What a renderer of a type adds to what every message of an event has. */
export type MessageText = Omit<Message, 'id' | 'type' | 'occurredAt'>

export type Renderer = (input: RenderInput) => Promise<MessageText | null>
