import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query'
import type { PeriodName } from '../../../src/accounts/period.ts'
import { readUsage } from '../api/calls.ts'
import { useOwner } from '../api/session-store.ts'
import type { UsageRecord } from '../api/types.ts'

export const chartDays = 30

const byDayKey = (owner: string) => [owner, 'usage', 'days'] as const

/** The usage of an account, with the credits of each of the last days. */
export function useUsageByDay() {
  const owner = useOwner()
  return useQuery({
    queryKey: byDayKey(owner),
    queryFn: ({ signal }) => readUsage({ days: chartDays }, { signal }),
  })
}

/** What an account used in a month or a week, by key and by watch. */
export function useSpending(period: PeriodName) {
  const owner = useOwner()
  return useQuery({
    queryKey: [owner, 'usage', 'spending', period],
    queryFn: async ({ signal }) => (await readUsage(period, { signal })).spenders,
    placeholderData: keepPreviousData,
  })
}

/** The present usage of an account; undefined until it is read. A recent answer of the account page is reused. */
export function useUsage(): UsageRecord | undefined {
  const owner = useOwner()
  const queries = useQueryClient()
  const { data } = useQuery({
    queryKey: [owner, 'usage', 'now'],
    queryFn: ({ signal }) => readUsage({}, { signal }),
    initialData: () => fresh(queries.getQueryState<UsageRecord>(byDayKey(owner)))?.data,
    initialDataUpdatedAt: () => queries.getQueryState(byDayKey(owner))?.dataUpdatedAt,
  })
  return data
}

/** Whether an answer was invalidated, however recent it is. */
const fresh = <State extends { isInvalidated: boolean }>(state: State | undefined) =>
  state?.isInvalidated === false ? state : undefined
