import { sql } from 'kysely'
import type { Executor } from '../../database/open.ts'
import { importPlatform } from '../../platforms/registry.ts'
import { dayOf } from '../../requests/timeline.ts'
import type { View } from '../../requests/view.ts'
import { membersIn } from '../../requests/wish-numbers/membership.ts'
import { dayMs } from '../../runtime/durations.ts'
import { readMemberNumbers, type WishGrowth } from '../list/summary.ts'

export interface WishTrend {
  wishId: string
  /** At the end of each day, oldest first. */
  votes: number[]
  /** The UTC day (YYYY-MM-DD) of the first vote sample of any of its requests; null without samples. */
  measuredSince: string | null
  growth: WishGrowth
  voices: number
}

/** The UTC days (YYYY-MM-DD) of a trend's points: today and every seventh day before, oldest first. */
export const daysOfTrend = (weeks: number, now: Date): string[] =>
  Array.from({ length: weeks + 1 }, (_, week) => dayOf(new Date(now.getTime() - (weeks - week) * 7 * dayMs)))

/**
 * The votes of up to 100 wishes at the end of some days, without imported ones. A request counts from its posting day
 * on, before its first sample with that sample's votes. Omits wishes that do not exist in the view.
 */
export async function readTrends(
  executor: Executor,
  wishIds: readonly string[],
  { view, days, now }: { view: View; days: readonly string[]; now: Date },
): Promise<WishTrend[]> {
  if (wishIds.length === 0) return []
  const { rows } = await sql<{ id: string; votes: number[]; measured_since: string | null }>`
    with member as materialized (
      select wish.id, member.request_id, member.votes, member.posted_at, member.platform = ${importPlatform} as is_own
      from unnest(${wishIds}::uuid[]) as wish (id) cross join lateral (${membersIn(view, sql.ref('wish.id'))}) as member
    ),
    counted as (
      select member.id, point.day, sum(case
        when member.is_own or (member.posted_at at time zone 'UTC')::date > point.day then 0
        when first.votes is null then member.votes
        else coalesce(
          (select votes from vote_samples where request_id = member.request_id and vote_samples.day <= point.day
            order by vote_samples.day desc limit 1),
          first.votes)
        end)::bigint as votes, min(first.day) filter (where not member.is_own) as measured_since
      from member
        left join lateral (select day, votes from vote_samples where request_id = member.request_id order by day limit 1) as first on true
        cross join unnest(${days}::date[]) as point (day)
      group by member.id, point.day
    )
    select id, json_agg(votes order by day) as votes, to_char(min(measured_since), 'YYYY-MM-DD') as measured_since
    from counted group by id`.execute(executor)
  const ofMembers = await readMemberNumbers(executor, wishIds, { view, now })
  const found = new Map(rows.map((row) => [row.id, row]))
  return wishIds.flatMap((wishId) => {
    const row = found.get(wishId)
    const numbers = ofMembers.get(wishId)
    if (row === undefined || numbers === undefined) return []
    const { votes, measured_since: measuredSince } = row
    return [{ wishId, votes: votes.map(Number), measuredSince, growth: numbers.growth, voices: numbers.voices }]
  })
}
