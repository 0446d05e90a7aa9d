import { useQuery } from '@tanstack/react-query'
import { api, dataOf } from '../api/client.ts'
import { useMayChange, useOwner } from '../api/session-store.ts'
import type { RequestRecord } from '../api/types.ts'
import { Correction } from '../search/correction.tsx'
import { Description, Origin, SourceLink } from '../search/request-parts.tsx'
import { Empty, Loading, Page } from '../shell/page.tsx'
import { Problem } from '../shell/problem.tsx'
import { counts } from '../texts/counts.ts'
import { reviewTexts as texts } from '../texts/later/review.ts'
import { Drawn } from './drawn.tsx'
import { Pairs } from './pairs.tsx'

/** What people decide one by one: texts that were drawn, pairs of wishes that may be the same, and texts that may be requests. It counts at once. */
export function ReviewPage() {
  const mayChange = useMayChange()
  return (
    <Page title={texts.title} intro={mayChange ? texts.intro : texts.readOnly}>
      {mayChange && <Drawn />}
      {mayChange && <Pairs />}
      {mayChange && <Texts />}
    </Page>
  )
}

const shownTexts = 10

/** The most voted texts that may be requests, and that nobody has judged. */
function Texts() {
  const owner = useOwner()
  const { data, error, refetch } = useQuery({
    queryKey: [owner, 'doubtful'],
    queryFn: ({ signal }) =>
      dataOf(
        api.GET('/api/v1/requests', { params: { query: { include: 'maybe', sortBy: 'votes', limit: 100 } }, signal }),
      ),
    // What was judged stays with its undo until the page is left, whatever is decided elsewhere on it.
    gcTime: 0,
    staleTime: Number.POSITIVE_INFINITY,
  })
  const doubtful = data?.results
    .filter(({ likelihood, corrected }) => likelihood === 'maybe' && !corrected)
    .slice(0, shownTexts)
  return (
    <section aria-labelledby="doubtful">
      <h2 id="doubtful">{texts.doubtful}</h2>
      {!data && (error === null ? <Loading /> : <Problem error={error} retry={refetch} />)}
      {doubtful?.length === 0 && <Empty title={texts.noDoubtful} />}
      <ol className="doubtful">
        {doubtful?.map((request) => (
          <DoubtfulText key={request._id} request={request} />
        ))}
      </ol>
    </section>
  )
}

const DoubtfulText = ({ request }: { request: RequestRecord }) => (
  <li className="member">
    <p className="member-title">
      <bdi>
        <SourceLink request={request}>{request.title}</SourceLink>
      </bdi>{' '}
      <span className="note">{counts.votes(request.votes)}</span>
    </p>
    <Description request={request} />
    <Origin request={request} />
    <p className="member-actions">
      <Correction request={request} />
    </p>
  </li>
)
