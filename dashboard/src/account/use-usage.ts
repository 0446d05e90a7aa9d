import { keepPreviousData, queryOptions, useQuery, useQueryClient } from '@tanstack/react-query'
import { monthOf } from '../../../src/accounts/period.ts'
import { api, dataOf } from '../api/client.ts'
import { useOwner } from '../api/session-store.ts'
import type { UsageQuery, UsageRecord } from '../api/types.ts'

export const chartDays = 30

const byDayKey = (owner: string, month: string) => [owner, 'usage', 'days', month] as const

const usageQuery = (queryKey: readonly unknown[], query: UsageQuery) =>
  queryOptions({ queryKey, queryFn: ({ signal }) => dataOf(api.GET('/api/v1/usage', { params: { query }, signal })) })

/** One call for what the account page shows first: the usage, the credits of each of the last days, and the spenders of this month. */
function byDayQuery(owner: string) {
  const month = monthOf(new Date())
  return usageQuery(byDayKey(owner, month), { days: chartDays, month })
}

/** The usage of an account, with the credits of each of the last days. */
export const useUsageByDay = () => useQuery(byDayQuery(useOwner()))

/** What an account used in a month or a week, by key and by watch. */
export function useSpending(period: UsageQuery) {
  const owner = useOwner()
  const isThisMonth = period.month === monthOf(new Date())
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
    ...usageQuery([owner, 'usage', 'now'], {}),
    initialData: () => fresh(queries.getQueryState<UsageRecord>(key))?.data,
    initialDataUpdatedAt: () => queries.getQueryState(key)?.dataUpdatedAt,
  })
  return data
}

/** Whether an answer was invalidated, however recent it is. */
const fresh = <State extends { isInvalidated: boolean }>(state: State | undefined) =>
  state?.isInvalidated === false ? state : undefined
