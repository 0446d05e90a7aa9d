import type { EventType } from '../../../accounts/events/events.ts'
import { renderChannelDisabled, renderTest } from './channel.ts'
import { renderCreditsLow } from './credits.ts'
import { type NewsRendering, renderNews } from './news.ts'
import type { RenderEvent, Renderer } from './renderer.ts'
import { renderScrape } from './scrape.ts'
import { renderStatusChange } from './status.ts'
import { renderAsks, renderSkipped } from './watch.ts'

/** @param news how a report of a watch is read as its account sees it now (`src/watches/news`). */
export function createRenderer(news: NewsRendering): RenderEvent {
  const renderers: Record<EventType, Renderer> = {
    'watch.news': renderNews(news),
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
