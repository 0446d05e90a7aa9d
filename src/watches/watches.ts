import { sql } from 'kysely'
import { type MadeKind, makerOf } from '../accounts/made-by-key.ts'
import { countOwned, findOwned } from '../accounts/owned.ts'
import { monthOf } from '../accounts/period.ts'
import type { Executor, Transaction } from '../database/open.ts'
import { ServiceError } from '../http/errors.ts'
import { byPlatform } from '../platforms/sources/named-sources.ts'
import type { WatchRun } from './history.ts'
import { nextInstant } from './schedule.ts'
import type { WatchTerms } from './terms.ts'
import type { Watch } from './watch.ts'

export const maxWatches = 100

/** Reads an account's watch. @throws ServiceError NOT_FOUND */
export const readWatch = (executor: Executor, accountId: string, watchId: string): Promise<Watch> =>
  findOwned(executor, 'watches', { accountId, id: watchId })

/** The same, locked until the transaction ends. */
export const lockWatch = (transaction: Transaction, accountId: string, watchId: string): Promise<Watch> =>
  findOwned(transaction, 'watches', { accountId, id: watchId }, sql`for no key update`)

/** The credits that watches have held and settled in the month of `now`, by watch id. */
export async function readUsed(
  executor: Executor,
  watchIds: readonly string[],
  now: Date,
): Promise<Map<string, number>> {
  if (watchIds.length === 0) return new Map()
  const rows = await executor
    .selectFrom('spender_months')
    .select(['spender_id', sql<number>`held + settled`.as('used')])
    .where('kind', '=', 'watch')
    .where('month', '=', monthOf(now))
    .where('spender_id', 'in', watchIds)
    .execute()
  return new Map(rows.map(({ spender_id, used }) => [spender_id, used]))
}

/** A watch as its account sees it. @param usedThisMonth of its budget @param lastRun null before the first due one */
export const describeWatch = (
  watch: Watch,
  {
    usedThisMonth,
    lastRun,
    comparesGoals,
  }: { usedThisMonth: number; lastRun: WatchRun | null; comparesGoals: boolean },
) => ({
  watchId: watch.id,
  name: watch.name,
  topic: watch.topic,
  platforms: watch.platforms,
  sources: watch.sources,
  depth: watch.depth,
  schedule: watch.schedule,
  timezone: watch.timezone,
  monthlyCredits: watch.monthly_credits,
  usedThisMonth,
  goal: watch.goal,
  goalIsCompared: watch.goal === null ? null : comparesGoals,
  filters: watch.filters,
  channelIds: watch.channels,
  reportsQuiet: watch.reports_quiet,
  mutedNews: watch.muted_news,
  state: watch.state,
  askingBecause: watch.asking_because,
  createdAt: watch.created_at.toISOString(),
  madeBy: watch.made_by,
  nextRunAt: watch.next_run_at?.toISOString() ?? null,
  lastRun,
})

const columnsOf = (terms: WatchTerms) => ({
  name: terms.name,
  platforms: terms.platforms,
  sources: terms.named.length === 0 ? null : JSON.stringify(Object.fromEntries(byPlatform(terms.named))),
  depth: terms.depth,
  schedule: terms.schedule,
  timezone: terms.timezone,
  monthly_credits: terms.monthlyCredits,
  goal: terms.goal,
  filters: JSON.stringify(terms.filters),
  channels: terms.channels,
  reports_quiet: terms.reportsQuiet,
  muted_news: terms.mutedNews,
})

interface NewWatch {
  accountId: string
  /** The key whose budget pays for its runs. */
  keyId: string | null
  terms: WatchTerms
  now: Date
}

/** Enforces the maximum. The account must be locked. */
async function refuseBeyondMaximum(transaction: Transaction, accountId: string): Promise<void> {
  if ((await countOwned(transaction, 'watches', accountId)) < maxWatches) return
  throw new ServiceError('CONFLICT', `The account has ${maxWatches} watches, which is the maximum. Remove one first.`)
}

/** Creates a watch, which first runs at its schedule's next instant. @throws ServiceError CONFLICT at the maximum. */
export async function createWatch(
  transaction: Transaction,
  { accountId, keyId, terms, now }: NewWatch,
): Promise<Watch> {
  const { made_by } = await makerOf(transaction, { accountId, keyId, now })
  await refuseBeyondMaximum(transaction, accountId)
  return transaction
    .insertInto('watches')
    .values({
      ...columnsOf(terms),
      account_id: accountId,
      key_id: keyId,
      made_by,
      topic: terms.topic,
      created_at: now,
      next_run_at: nextInstant({ ...terms, accountId }, now),
      last_looked_at: now,
    })
    .returningAll()
    .executeTakeFirstOrThrow()
}

interface WatchChange {
  terms: WatchTerms
  state: Watch['state']
  /** The paying key from now on; undefined for no change. */
  keyId: string | null | undefined
  now: Date
}

/** The next run after a change: a running watch keeps its instant unless the schedule changes. */
function nextAfterChange(watch: Watch, { terms, state, now }: WatchChange): Date | null {
  if (state !== 'active') return null
  const isSame = terms.schedule === watch.schedule && terms.timezone === watch.timezone
  return isSame && watch.next_run_at !== null
    ? watch.next_run_at
    : nextInstant({ ...terms, accountId: watch.account_id }, now)
}

/** Changes a locked watch, which also counts as a visit. */
export const changeWatch = (transaction: Transaction, watch: Watch, change: WatchChange): Promise<Watch> =>
  transaction
    .updateTable('watches')
    .set({
      ...columnsOf(change.terms),
      state: change.state,
      ...(change.state === 'asking' ? {} : { asking_because: null }),
      next_run_at: nextAfterChange(watch, change),
      last_looked_at: change.now,
      ...(change.keyId === undefined ? {} : { key_id: change.keyId }),
    })
    .where('id', '=', watch.id)
    .returningAll()
    .executeTakeFirstOrThrow()

/** Deletes a watch with its history. A running job continues, as it is paid for. @throws ServiceError NOT_FOUND */
export async function deleteWatch(transaction: Transaction, accountId: string, watchId: string): Promise<void> {
  const watch = await lockWatch(transaction, accountId, watchId)
  await transaction.deleteFrom('watches').where('id', '=', watch.id).execute()
}

const runningOf = (executor: Executor, keyIds: readonly string[]) =>
  executor
    .selectFrom('watches')
    .where('state', '=', 'active')
    .where((eb) => eb.or([eb('made_by', 'in', keyIds), eb('key_id', 'in', keyIds)]))

/** The watches that keys made or pay for. They stop, keeping what they found, until someone resumes them. */
export const watchesMadeByKeys: MadeKind = {
  list: (executor, keyIds) =>
    runningOf(executor, keyIds).select(['id', 'name']).orderBy('created_at').orderBy('id').execute(),
  end: async (transaction, keyIds) => {
    const watches = await runningOf(transaction, keyIds).select('id').orderBy('id').forNoKeyUpdate().execute()
    const ids = watches.map(({ id }) => id)
    if (ids.length === 0) return
    await transaction
      .updateTable('watches')
      .set({ state: 'asking', asking_because: 'key_ended', next_run_at: null })
      .where('id', 'in', ids)
      .execute()
  },
}
