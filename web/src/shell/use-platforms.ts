import { useQuery } from '@tanstack/react-query'
import { readPlatforms } from '../api/calls.ts'
import { useOwner } from '../api/session-store.ts'

/** Every platform and how it is, as the form of a collection and the filters need it. */
export function usePlatforms() {
  const owner = useOwner()
  return useQuery({
    queryKey: [owner, 'platforms'],
    queryFn: ({ signal }) => readPlatforms({ signal }),
    staleTime: 60_000,
  })
}
