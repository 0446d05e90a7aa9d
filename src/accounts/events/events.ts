import type { Executor } from '../../database/open.ts'

/** Everything that accounts can be told, by type: what it means, for the documents. */
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

/** Ids and numbers, and words of our own such as a status or a month: never a text from a platform or of a person. */
export type EventSubject = Record<string, string | number | null>

interface NewEvent {
  /** Null: of all accounts that it concerns; what delivers it finds them. */
  accountId: string | null
  type: EventType
  subject: EventSubject
  /** The channels that this watch names are told; without it, or where it names none, the channels that subscribe to the type. */
  watchId?: string | null
  now: Date
}

/**
 * Notes what happened, in the transaction of its cause: it is told if and only if that commits.
 * @returns the id by which receivers recognise a repeated delivery.
 */
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
