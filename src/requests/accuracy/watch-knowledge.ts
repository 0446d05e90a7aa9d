import { sql } from 'kysely'
import type { Transaction } from '../../database/open.ts'
import type { OwnThresholds } from '../detection/detect.ts'
import { projectDetector, trackers } from '../detection/weights-file.ts'
import { conditionsOn } from '../filters/conditions.ts'
import { parseBodyFilters } from '../filters/filters.ts'
import { textHash } from '../judging/claims.ts'
import { standingIn } from '../views/view.ts'

/**
 * The watches of an account know from now on what they found, did not show, and will show by its new thresholds alone: moved thresholds are no news. What else
 * hides a request stays unknown: a correction, or a filter. To be called in the transaction that moves them, after it has the row of the account.
 */
export async function knowMoved(
  transaction: Transaction,
  { accountId, own }: { accountId: string; own: OwnThresholds },
): Promise<void> {
  const [tracker, social] = (['tracker', 'social'] as const).map(
    (group) => (own[group] ?? projectDetector()[group].thresholds).likely,
  )
  const standing = standingIn(
    { account: accountId, least: 2 },
    { id: sql`requests.id`, standing: sql`requests.standing` },
  )
  const watches = await transaction
    .selectFrom('watches')
    .select(['id', 'filters'])
    .where('account_id', '=', accountId)
    .orderBy('id')
    .execute()
  for (const { id, filters } of watches) {
    const passing = conditionsOn('requests', parseBodyFilters(filters, { accountId, hasOwnView: false }))
    await sql`
      with moved as materialized (
        select known.source_hash, requests.id, requests.votes, requests.status
        from watch_requests as known join requests on requests.id = known.request_id
          left join request_judgements as judged on judged.request_id = requests.id and judged.text_hash = ${textHash}
        where ${sql.join(
          [
            sql`known.watch_id = ${id} and known.votes is null and ${standing} in (0, 1)`,
            sql`judged.recurring_title is null`,
            sql`coalesce(judged.confidence, requests.confidence)::float8
              >= case when requests.platform = any(${[...trackers]}::text[]) then ${tracker}::float8 else ${social}::float8 end`,
            sql`not exists (select from request_corrections as made where made.source_hash = known.source_hash
              and (made.account_id is null or made.account_id = ${accountId}))`,
            ...passing,
          ],
          sql` and `,
        )}
        order by known.source_hash for update of known
      )
      update watch_requests as known set votes = moved.votes, status = moved.status, wish_id = moved.id
      from moved where known.watch_id = ${id} and known.source_hash = moved.source_hash`.execute(transaction)
  }
}
