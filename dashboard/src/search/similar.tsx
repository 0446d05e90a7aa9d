import { useQuery } from '@tanstack/react-query'
import { readSimilar } from '../api/calls.ts'
import { useOwner } from '../api/session-store.ts'
import { platformTitle } from '../shell/format.ts'
import { Loading } from '../shell/page.tsx'
import { Problem } from '../shell/problem.tsx'
import { searchTexts as texts } from '../texts/search.ts'
import { Marks, Origin, SourceLink, Votes } from './request-parts.tsx'

/** The requests that are similar to this one, and their sums. */
export function Similar({ requestId }: { requestId: string }) {
  const owner = useOwner()
  const { data, error, refetch } = useQuery({
    queryKey: [owner, 'similar', requestId],
    queryFn: ({ signal }) => readSimilar(requestId, { signal }),
    staleTime: 5 * 60_000,
  })
  if (!data) return error === null ? <Loading /> : <Problem error={error} retry={refetch} />
  if (data.results.length === 0) return <p className="note">{texts.noSimilar}</p>
  return (
    <section className="similar" aria-label={texts.similarTitle}>
      <p className="note">{texts.together(data.requests, data.votes, data.platforms.map(platformTitle))}</p>
      <ul>
        {data.results.map((request) => (
          <li key={request._id}>
            <Votes votes={request.votes} />
            <div>
              <p dir="auto">
                <SourceLink request={request}>{request.title}</SourceLink>{' '}
                <span className="similarity">{texts.similarity(request.similarity)}</span>
              </p>
              <Marks request={request} />
              <Origin request={request} />
            </div>
          </li>
        ))}
      </ul>
    </section>
  )
}
