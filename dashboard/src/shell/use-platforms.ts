import { useQuery } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { readPlatforms } from '../api/calls.ts'
import { useOwner } from '../api/session-store.ts'
import type { PlatformStatus } from '../api/types.ts'

const staleMs = 60_000
/** A platform that waits anew is asked about anew, but no more often than this. */
const pauseMs = 10_000

/** Every platform and how it is, as the form of a collection and the filters need it; one call for all of them. */
export function usePlatforms({ enabled = true }: { enabled?: boolean } = {}) {
  const owner = useOwner()
  return useQuery({
    queryKey: [owner, 'platforms'],
    queryFn: ({ signal }) => readPlatforms({ signal }),
    staleTime: staleMs,
    enabled,
  })
}

/**
 * How the platforms are while some of a job wait, and no call while none does.
 * @param waits what is waited for, by any names: another one is another reason to ask.
 */
export function useReadiness(waits: readonly string[]): PlatformStatus[] | undefined {
  const { data, refetch } = usePlatforms({ enabled: false })
  const askedAt = useRef(0)
  const reason = waits.join()
  useEffect(() => {
    if (reason === '') return
    // What was known before the wait says nothing about it.
    const timer = setTimeout(
      () => {
        askedAt.current = Date.now()
        void refetch()
      },
      Math.max(0, askedAt.current + pauseMs - Date.now()),
    )
    return () => clearTimeout(timer)
  }, [reason, refetch])
  return data
}
