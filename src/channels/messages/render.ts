import type { Executor } from '../../database/open.ts'
import type { EventSubject, EventType } from '../../events/events.ts'
import type { Message } from '../../events/message.ts'
import { renderChannelDisabled, renderTest } from './channel.ts'
import { renderCreditsLow } from './credits.ts'
import { type ReadReport, renderNews } from './news.ts'
import { renderScrape } from './scrape.ts'
import { renderStatusChange } from './status.ts'
import { renderAsks, renderSkipped } from './watch.ts'

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

/** @param readReport reads a report of a watch as its account sees it now (`src/news`). */
export function createRenderer(readReport: ReadReport): RenderEvent {
  const renderers: Record<EventType, Renderer> = {
    'watch.news': renderNews(readReport),
    'watch.skipped_no_credits': renderSkipped,
    'watch.asks': renderAsks,
    'scrape.completed': renderScrape,
    'scrape.failed': renderScrape,
    'wish.status_changed': renderStatusChange,
    'credits.low': renderCreditsLow,
    'channel.disabled': renderChannelDisabled,
    'channel.test': renderTest,
  }
  return async (input) => {
    const { eventId: id, type, occurredAt } = input.event
    const text = (await renderers[type]?.(input)) ?? null
    return text && { id, type, occurredAt, ...text }
  }
}
