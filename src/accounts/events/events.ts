import type { Executor } from '../../database/open.ts'

/** Every event type, with its meaning for the documents. */
export const eventCatalogue = {
  'watch.news': 'A report of a watch has news: wishes that are new, grew, rise, were completed or declined.',
  'watch.skipped_no_credits': 'A run of a watch was skipped, because its budget or the account cannot pay for it.',
  'watch.asks':
    'Nobody has looked at a watch for 90 days, or the key that pays for it was revoked or has expired: it waits until its owner says that it goes on.',
  'scrape.completed': 'A scrape job has ended and delivered.',
  'scrape.failed': 'A scrape job has failed or was cancelled.',
  'wish.status_changed': 'A request of a marked wish or of a watch got another status on its platform.',
  'wish.rising': 'More people ask for a wish of a watch, or about its topic as a whole, than its own past explains.',
  'credits.low': 'The settled credits of the month reached 80, 95 or 100 % of the pool.',
  'channel.disabled': 'A channel was disabled after repeated failures.',
  'channel.test': 'A test that the account asked for.',
} as const

export type EventType = keyof typeof eventCatalogue

export const eventTypes = Object.keys(eventCatalogue) as EventType[]

/** Ids, numbers and our own words, such as a status: never text from platforms or people. */
export type EventSubject = Record<string, string | number | null>

interface NewEvent {
  /** Null: all accounts concerned, found at delivery. */
  accountId: string | null
  type: EventType
  subject: EventSubject
  /** Notifies the channels this watch names; by default those that subscribe to the type. */
  watchId?: string | null
  now: Date
}

/** Commits with the event's cause, or not at all. @returns the id by which receivers detect repeats */
export async function noteEvent(
  executor: Executor,
  { accountId, type, subject, watchId = null, now }: NewEvent,
): Promise<string> {
  const { id } = await executor
    .insertInto('events')
    .values({ account_id: accountId, type, subject: JSON.stringify(subject), watch_id: watchId, created_at: now })
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}
