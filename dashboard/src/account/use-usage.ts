import { useQuery, useQueryClient } from '@tanstack/react-query'
import { readUsage } from '../api/calls.ts'
import { useOwner } from '../api/session-store.ts'
import type { UsageRecord } from '../api/types.ts'

export const chartDays = 30

/** The UTC month, YYYY-MM. */
const thisMonth = () => new Date().toISOString().slice(0, 7)

const byDayKey = (owner: string) => [owner, 'usage', 'days'] as const

/** The usage of an account, with the credits of each of the last days, and those of this month by key and by watch. */
export function useUsageByDay() {
  const owner = useOwner()
  return useQuery({
    queryKey: byDayKey(owner),
    queryFn: ({ signal }) => readUsage({ days: chartDays, month: thisMonth() }, { signal }),
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
