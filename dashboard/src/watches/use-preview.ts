import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { api, dataOf } from '../api/client.ts'
import { useOwner } from '../api/session-store.ts'
import type { RunTerms } from '../api/types.ts'

/** The pause in typing after which a preview is asked for: each one is a call. */
const pauseMs = 600

/** A value that follows another one once that rests. */
function useRested<T>(value: T, ms: number): T {
  const [rested, setRested] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setRested(value), ms)
    return () => clearTimeout(timer)
  }, [value, ms])
  return rested
}

/** When a watch of these terms would run and what it would cost; equal terms are asked for once. */
export function usePreview(terms: RunTerms | null) {
  const owner = useOwner()
  const text = terms === null ? '' : JSON.stringify(terms)
  const rested = useRested(text, pauseMs)
  const query = useQuery({
    queryKey: [owner, 'watches', 'preview', rested],
    queryFn: ({ signal }) =>
      dataOf(api.POST('/api/v1/watches/preview', { body: JSON.parse(rested) as RunTerms, signal })),
    enabled: rested !== '',
    staleTime: 60_000,
    placeholderData: keepPreviousData,
    retry: false,
  })
  return { ...query, isBehind: rested !== text || query.isPlaceholderData }
}
