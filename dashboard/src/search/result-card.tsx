import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api, dataOf } from '../api/client.ts'
import { useOwner } from '../api/session-store.ts'
import type { FoundRequest } from '../api/types.ts'
import { topicAddress } from '../shell/addresses.ts'
import { Loading } from '../shell/page.tsx'
import { Problem } from '../shell/problem.tsx'
import { Link } from '../shell/router.tsx'
import { searchTexts as texts } from '../texts/search.ts'
import { Correction } from './correction.tsx'
import { Highlighted, highlightOf, Marked } from './highlighted.tsx'
import { Marks, Origin, SourceLink, Votes } from './request-parts.tsx'
import { Similar } from './similar.tsx'
import type { View } from './view.ts'

/** The part of a description that is shown before it is unfolded. */
const excerptLength = 280
const shownTags = 6

interface CardProps {
  request: FoundRequest
  /** The view of the card: its tags become filters of it. */
  view: View
  show: (view: View) => void
}

export function ResultCard({ request, view, show }: CardProps) {
  const [isSimilarOpen, setSimilarOpen] = useState(false)
  const { wish } = request
  const together = wish !== null && wish.requestCount > 1 ? texts.ofWish(wish.requestCount, wish.votes) : null
  const title = <Marked text={request.title} highlight={highlightOf(request, 'title')} />
  return (
    <article className="result">
      <Votes votes={request.votes} />
      <div className="result-body">
        <h2 dir="auto">
          <SourceLink request={request}>{title}</SourceLink>
        </h2>
        <Marks request={request} />
        <Description request={request} />
        <Origin request={request} />
        <div className="tags">
          {request.tags.slice(0, shownTags).map((tag) => (
            <button
              key={tag}
              type="button"
              className="tag"
              aria-pressed={view.tags.includes(tag)}
              title={texts.filterByTag(tag)}
              onClick={() => show({ ...view, tags: view.tags.includes(tag) ? view.tags : [...view.tags, tag] })}
            >
              <bdi>{tag}</bdi>
            </button>
          ))}
          <Link className="topic-link" href={topicAddress(request.topic)}>
            <bdi>{request.topic}</bdi>
          </Link>
          <button
            type="button"
            className="quiet small"
            aria-label={together === null ? undefined : texts.similarLabel(together)}
            aria-expanded={isSimilarOpen}
            onClick={() => setSimilarOpen(!isSimilarOpen)}
          >
            {together ?? texts.similar}
          </button>
          <Correction request={request} />
        </div>
        {isSimilarOpen && <Similar requestId={request._id} />}
      </div>
    </article>
  )
}

function Description({ request }: { request: FoundRequest }) {
  const [isWhole, setWhole] = useState(false)
  const { description, descriptionTruncated = false } = request
  const snippet = highlightOf(request, 'description')
  if (description === '') return null
  const isLong =
    descriptionTruncated || description.length > excerptLength || (snippet !== null && snippet.text !== description)
  const excerpt =
    snippet !== null ? <Highlighted text={snippet.text} ranges={snippet.ranges} /> : description.slice(0, excerptLength)
  return (
    <div className="description">
      {isWhole && descriptionTruncated ? (
        <WholeDescription requestId={request._id} beginning={description} />
      ) : (
        <p dir="auto">
          {isWhole ? description : excerpt}
          {isLong && !isWhole && ' …'}
        </p>
      )}
      {isLong && (
        <button type="button" className="as-link small" aria-expanded={isWhole} onClick={() => setWhole(!isWhole)}>
          {isWhole ? texts.showLess : texts.showAll}
        </button>
      )}
    </div>
  )
}

/** A text of which a list has only the beginning; the whole text is one more call, on demand. */
function WholeDescription({ requestId, beginning }: { requestId: string; beginning: string }) {
  const owner = useOwner()
  const { data, error, refetch } = useQuery({
    queryKey: [owner, 'request', requestId],
    queryFn: ({ signal }) =>
      dataOf(api.GET('/api/v1/requests/{requestId}', { params: { path: { requestId } }, signal })),
    staleTime: 5 * 60_000,
  })
  if (data) return <p dir="auto">{data.description}</p>
  return (
    <>
      <p dir="auto">{beginning} …</p>
      {error === null ? <Loading /> : <Problem error={error} retry={refetch} />}
    </>
  )
}
