import { useQuery, useQueryClient } from '@tanstack/react-query'
import { readUsage } from '../api/calls.ts'
import { useOwner } from '../api/session-store.ts'
import type { UsageRecord } from '../api/types.ts'

export const chartDays = 30

const byDayKey = (owner: string) => [owner, 'usage', 'days'] as const

/** What an account has, with what each of the last days cost. */
export function useUsageByDay() {
  const owner = useOwner()
  return useQuery({ queryKey: byDayKey(owner), queryFn: ({ signal }) => readUsage(chartDays, { signal }) })
}

/** What an account has now; undefined until it is known. The account page may have asked a moment ago: that is the same answer. */
export function useUsage(): UsageRecord | undefined {
  const owner = useOwner()
  const queries = useQueryClient()
  const { data } = useQuery({
    queryKey: [owner, 'usage', 'now'],
    queryFn: ({ signal }) => readUsage(undefined, { signal }),
    initialData: () => fresh(queries.getQueryState<UsageRecord>(byDayKey(owner)))?.data,
    initialDataUpdatedAt: () => queries.getQueryState(byDayKey(owner))?.dataUpdatedAt,
  })
  return data
}

/** What was invalidated is history, however young. */
const fresh = <State extends { isInvalidated: boolean }>(state: State | undefined) =>
  state?.isInvalidated === false ? state : undefined
