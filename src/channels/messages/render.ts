import type { EventType } from '../../events/events.ts'
import { renderChannelDisabled, renderTest } from './channel.ts'
import { renderCreditsLow } from './credits.ts'
import { type ReadReport, renderNews } from './news.ts'
import type { RenderEvent, Renderer } from './renderer.ts'
import { renderScrape } from './scrape.ts'
import { renderStatusChange } from './status.ts'
import { renderAsks, renderSkipped } from './watch.ts'

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
