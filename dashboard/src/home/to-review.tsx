import { useQuery } from '@tanstack/react-query'
import { api, dataOf } from '../api/client.ts'
import { useMayChange, useOwner } from '../api/session-store.ts'
import { reviewAddress } from '../shell/addresses.ts'
import { Problem } from '../shell/problem.tsx'
import { Link } from '../shell/router.tsx'
import { homeTexts as texts } from '../texts/home.ts'

/** What waits for a decision of a person. */
export function ToReview() {
  const owner = useOwner()
  const mayChange = useMayChange()
  const { data, error, refetch } = useQuery({
    queryKey: [owner, 'suggestions', 'count'],
    queryFn: ({ signal }) =>
      dataOf(api.GET('/api/v1/suggestions/wishes', { params: { query: { limit: 100 } }, signal })),
    enabled: mayChange,
  })
  if (!mayChange) return null
  return (
    <section aria-labelledby="to-review">
      <h2 id="to-review">{texts.toReview}</h2>
      {data && (
        <p className="note">
          {data.results.length === 0 ? texts.nothingToReview : texts.pairs(data.results.length, data.hasMore)}{' '}
          <Link href={reviewAddress}>{texts.review}</Link>
        </p>
      )}
      {!data && error !== null && <Problem error={error} retry={refetch} />}
    </section>
  )
}
