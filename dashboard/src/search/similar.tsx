import { useQuery } from '@tanstack/react-query'
import { api, dataOf } from '../api/client.ts'
import { useOwner } from '../api/session-store.ts'
import type { SimilarRequests } from '../api/types.ts'
import { wishAddress } from '../shell/addresses.ts'
import { platformTitle } from '../shell/format.ts'
import { Loading } from '../shell/page.tsx'
import { Problem } from '../shell/problem.tsx'
import { Link } from '../shell/router.tsx'
import { searchTexts as texts } from '../texts/search.ts'
import { Marks, Origin, SourceLink, Votes } from './request-parts.tsx'

/** The other requests of the wish of this one and their sums, and what is possibly the same. */
export function Similar({ requestId }: { requestId: string }) {
  const owner = useOwner()
  const { data, error, refetch } = useQuery({
    queryKey: [owner, 'similar', requestId],
    queryFn: ({ signal }) =>
      dataOf(
        api.GET('/api/v1/requests/{requestId}/similar', {
          params: { path: { requestId }, query: { limit: 10 } },
          signal,
        }),
      ),
    staleTime: 5 * 60_000,
  })
  if (!data) return error === null ? <Loading /> : <Problem error={error} retry={refetch} />
  if (data.results.length === 0) return <p className="note">{texts.noSimilar}</p>
  const members = data.results.filter(({ sameWish }) => sameWish)
  const others = data.results.filter(({ sameWish }) => !sameWish)
  return (
    <section className="similar" aria-label={texts.similarTitle}>
      {data.wish !== null && data.requests > 1 && (
        <p className="note">
          {texts.together(data.requests, data.votes, data.platforms.map(platformTitle))}{' '}
          <Link href={wishAddress(data.wish.wishId)}>{texts.openWish}</Link>
        </p>
      )}
      <SimilarList requests={members} />
      {others.length > 0 && <p className="note">{texts.possiblySame}</p>}
      <SimilarList requests={others} />
    </section>
  )
}

function SimilarList({ requests }: { requests: SimilarRequests['results'] }) {
  if (requests.length === 0) return null
  return (
    <ul>
      {requests.map((request) => (
        <li key={request._id}>
          <Votes votes={request.votes} />
          <div>
            <p dir="auto">
              <SourceLink request={request}>{request.title}</SourceLink>{' '}
              {!request.sameWish && <span className="similarity">{texts.similarity(request.similarity)}</span>}
            </p>
            <Marks request={request} />
            <Origin request={request} />
          </div>
        </li>
      ))}
    </ul>
  )
}
