import type { Executor } from '../../../database/open.ts'
import { watchLink } from '../../../http/addresses.ts'
import { isId } from '../../../http/ids.ts'
import { idIn, type Renderer } from './renderer.ts'

/** The name of a watch, and whether it tells quiet times; null if it was deleted. */
export async function readWatchName(
  executor: Executor,
  accountId: string,
  watchId: string,
): Promise<{ name: string; reportsQuiet: boolean; state: string } | null> {
  if (!isId(watchId)) return null
  const row = await executor
    .selectFrom('watches')
    .select(['name', 'reports_quiet as reportsQuiet', 'state'])
    .where('id', '=', watchId)
    .where('account_id', '=', accountId)
    .executeTakeFirst()
  return row ?? null
}

const reasons: Readonly<Record<string, string>> = {
  watch_budget: 'Its budget of this month is used up.',
  key_budget: 'The monthly budget of the key that pays for it is used up.',
  credits: 'The account has no credits left for it this month.',
}

/** A run that nothing could pay for: told once, until next month. */
export const renderSkipped: Renderer = async ({ executor, accountId, event: { subject }, publicUrl }) => {
  const watchId = idIn(subject, 'watchId')
  const watch = watchId === null ? null : await readWatchName(executor, accountId, watchId)
  if (watchId === null || watch === null) return null
  const reason = idIn(subject, 'reason')
  return {
    title: `${watch.name}: a run was skipped`,
    paragraphs: [
      (reason === null ? undefined : reasons[reason]) ?? 'Its budget or the account cannot pay for it.',
      'The watch goes on when there are credits again, next month at the latest.',
    ],
    sections: [],
    link: { label: 'Open the watch', url: watchLink(publicUrl, watchId) },
    data: { watchId, watchName: watch.name, runId: idIn(subject, 'runId'), reason },
  }
}

const questions: Readonly<Record<string, string>> = {
  key_ended:
    'The API key that pays for this watch was revoked or has expired, so it waits. Resume it with another key.',
  not_looked_at: 'Nobody has looked at this watch for 90 days, so it waits. Open it to have it go on.',
}

/** A watch that waits for its owner; nothing to tell once it continues. */
export const renderAsks: Renderer = async ({ executor, accountId, event: { subject }, publicUrl }) => {
  const watchId = idIn(subject, 'watchId')
  const watch = watchId === null ? null : await readWatchName(executor, accountId, watchId)
  if (watchId === null || watch === null || watch.state !== 'asking') return null
  const reason = idIn(subject, 'reason')
  return {
    title: `${watch.name}: shall it go on?`,
    paragraphs: [(reason === null ? undefined : questions[reason]) ?? 'It waits. Open it to have it go on.'],
    sections: [],
    link: { label: 'Open the watch', url: watchLink(publicUrl, watchId) },
    data: { watchId, watchName: watch.name, reason },
  }
}
