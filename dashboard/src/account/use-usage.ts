import { keepPreviousData, queryOptions, useQuery, useQueryClient } from '@tanstack/react-query'
import { monthOf } from '../../../src/accounts/month.ts'
import type { PeriodName } from '../../../src/accounts/period.ts'
import { readUsage } from '../api/calls.ts'
import { useOwner } from '../api/session-store.ts'
import type { UsageRecord } from '../api/types.ts'

export const chartDays = 30

const byDayKey = (owner: string, month: string) => [owner, 'usage', 'days', month] as const

const usageQuery = (queryKey: readonly unknown[], input: Parameters<typeof readUsage>[0]) =>
  queryOptions({ queryKey, queryFn: ({ signal }) => readUsage(input, { signal }) })

/** One call for what the account page shows first: the usage, the credits of each of the last days, and the spenders of this month. */
function byDayQuery(owner: string) {
  const month = monthOf(new Date())
  return usageQuery(byDayKey(owner, month), { days: chartDays, month })
}

/** The usage of an account, with the credits of each of the last days. */
export const useUsageByDay = () => useQuery(byDayQuery(useOwner()))

/** What an account used in a month or a week, by key and by watch. */
export function useSpending(period: PeriodName) {
  const owner = useOwner()
  const isThisMonth = 'month' in period && period.month === monthOf(new Date())
  return useQuery({
    ...(isThisMonth ? byDayQuery(owner) : usageQuery([owner, 'usage', 'spending', period], period)),
    select: ({ spenders }) => spenders,
    placeholderData: keepPreviousData,
  })
}

/** The present usage of an account; undefined until it is read. A recent answer of the account page is reused. */
export function useUsage(): UsageRecord | undefined {
  const owner = useOwner()
  const queries = useQueryClient()
  const key = byDayKey(owner, monthOf(new Date()))
  const { data } = useQuery({
    queryKey: [owner, 'usage', 'now'],
    queryFn: ({ signal }) => readUsage({}, { signal }),
    initialData: () => fresh(queries.getQueryState<UsageRecord>(key))?.data,
    initialDataUpdatedAt: () => queries.getQueryState(key)?.dataUpdatedAt,
  })
  return data
}

/** Whether an answer was invalidated, however recent it is. */
const fresh = <State extends { isInvalidated: boolean }>(state: State | undefined) =>
  state?.isInvalidated === false ? state : undefined
