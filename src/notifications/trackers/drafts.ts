import type { Executor } from '../../database/open.ts'
import { readPassedOnWish } from '../../sharing/shares/content.ts'
import type { PushRow } from './store/pushes.ts'

/** What a person may post where others asked. We never send it. */
export interface Draft {
  requestId: string
  platform: string
  sourceUrl: string
  text: string
}

/** A sentence on the outcome, without a link, as the asker may not see the tracker; null if there is none. */
export function draftText({ state, status, issue_key: key }: PushRow): string | null {
  if (state !== 'sent' || key === null) return null
  switch (status) {
    case 'completed':
      return `Thank you for asking for this. It is done now (${key}).`
    case 'declined':
      return `Thank you for asking for this. We looked at it and will not do it for now (${key}).`
    case 'in_progress':
      return `Thank you for asking for this. We are working on it (${key}).`
    case 'planned':
      return `Thank you for asking for this. It is planned (${key}).`
    case 'closed':
    case 'duplicate':
      return `Thank you for asking for this. We closed ${key}, under which we tracked it.`
    default:
      return `Thank you for asking for this. We track it as ${key}.`
  }
}

/** Texts for up to 100 public asks, most voted first; none until the push has an issue. */
export async function readDrafts(executor: Executor, push: PushRow, now: Date): Promise<Draft[]> {
  const text = draftText(push)
  if (text === null) return []
  const content = await readPassedOnWish(executor, { accountId: push.account_id, wishId: push.wish_id, now })
  return (content?.platforms ?? [])
    .flatMap(({ shown }) => shown)
    .toSorted((one, other) => other.votes - one.votes)
    .map(({ _id: requestId, sourcePlatform: platform, sourceUrl }) => ({ requestId, platform, sourceUrl, text }))
}
