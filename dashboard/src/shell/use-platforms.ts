import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { api, wholeList } from '../api/client.ts'
import { useOwner } from '../api/session-store.ts'
import type { PlatformStatus } from '../api/types.ts'

const staleMs = 60_000
/** The minimum time between two reads of the platforms. */
const pauseMs = 10_000

/** Every platform and its state, for the form of a collection and the filters; all share one call. */
export function usePlatforms({ enabled = true }: { enabled?: boolean } = {}) {
  const owner = useOwner()
  return useQuery({
    queryKey: [owner, 'platforms'],
    queryFn: async ({ signal }) =>
      (await wholeList((query) => api.GET('/api/v1/platforms', { params: { query }, signal }))).results,
    staleTime: staleMs,
    enabled,
  })
}

/** What each platform gave to topics like this one; undefined before the answer. @param topic null: not known yet */
export function useYields(topic: string | null): Map<string, PlatformStatus['yield']> | undefined {
  const owner = useOwner()
  const { data } = useQuery({
    queryKey: [owner, 'platforms', topic],
    queryFn: async ({ signal }) =>
      (
        await wholeList((query) =>
          api.GET('/api/v1/platforms', { params: { query: { ...query, topic: topic! } }, signal }),
        )
      ).results,
    staleTime: staleMs,
    enabled: topic !== null,
  })
  return data && new Map(data.map((one) => [one.platform, one.yield]))
}

/**
 * The state of the platforms while some platforms of a job wait; no call while none waits.
 * @param waits names of the waits: a new one causes a new call.
 */
export function useReadiness(waits: readonly string[]): PlatformStatus[] | undefined {
  const owner = useOwner()
  const queries = useQueryClient()
  const { data, refetch } = usePlatforms({ enabled: false })
  const askedAt = useRef(0)
  const reason = waits.join()
  useEffect(() => {
    if (reason === '') return
    // An answer from before the wait does not describe it, also where the page is left before the next call.
    void queries.invalidateQueries({ queryKey: [owner, 'platforms'], refetchType: 'none' })
    const timer = setTimeout(
      () => {
        askedAt.current = Date.now()
        void refetch()
      },
      Math.max(0, askedAt.current + pauseMs - Date.now()),
    )
    return () => clearTimeout(timer)
  }, [reason, refetch, queries, owner])
  return data
}
