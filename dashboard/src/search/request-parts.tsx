import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { api, dataOf } from '../api/client.ts'
import { useOwner } from '../api/session-store.ts'
import type { FoundRequest } from '../api/types.ts'
import { ago, dateAndTime, importTitle, platformTitle } from '../shell/format.ts'
import { Loading } from '../shell/page.tsx'
import { Problem } from '../shell/problem.tsx'
import { counts } from '../texts/counts.ts'
import { searchTexts as texts } from '../texts/search.ts'
import { Highlighted, highlightOf, Marked } from './highlighted.tsx'

/** Only a web address becomes a link: the address is text from outside. */
export function SourceLink({ request, children }: { request: FoundRequest; children: ReactNode }) {
  const isWeb = /^https?:\/\//i.test(request.sourceUrl)
  if (!isWeb) return <span>{children}</span>
  return (
    <a href={request.sourceUrl} target="_blank" rel="noopener noreferrer nofollow ugc">
      {children}
    </a>
  )
}

/** What became of a request, and whether it may be none. */
export function Marks({ request }: { request: FoundRequest }) {
  const { status, statusChangedAt, statusObserved, likelihood, corrected, confidence, excerpt, matchedBy } = request
  // A correction is said where it was made.
  const isDoubtful = likelihood !== 'likely' && !corrected
  const isShown = status !== null && status !== 'open'
  if (!isShown && !isDoubtful && !excerpt && !matchedBy) return null
  return (
    <p className="marks">
      {isShown && (
        <span className="status">
          <span className={`badge status-${status}`}>{texts.status(status)}</span>
          {statusChangedAt !== null && (
            <time className="note" dateTime={statusChangedAt} title={dateAndTime(statusChangedAt)}>
              {texts.statusChanged(ago(statusChangedAt), statusObserved)}
            </time>
          )}
        </span>
      )}
      {isDoubtful && (
        <span className="badge doubt" title={texts.likelihoodTitle(Math.round(confidence * 100))}>
          {texts.likelihood[likelihood]}
        </span>
      )}
      {excerpt && <span className="note">{texts.excerpt}</span>}
      {matchedBy && <span className="note">{texts.matchedByWords}</span>}
    </p>
  )
}

/** The platform, the author and the age of a request. */
export function Origin({ request }: { request: FoundRequest }) {
  const author = request.authorName ?? request.authorHandle
  const askedAt = request.originalCreatedAt
  const imported = importTitle(request)
  return (
    <p className="origin">
      <span className="platform">{imported ?? platformTitle(request.sourcePlatform)}</span>
      {imported === null && request.sourceName && <bdi>{request.sourceName}</bdi>}
      {author && (
        <bdi className="author">
          <Marked text={author} highlight={highlightOf(request, 'author')} />
        </bdi>
      )}
      <time dateTime={askedAt ?? request.createdAt} title={dateAndTime(askedAt ?? request.createdAt)}>
        {askedAt ? ago(askedAt) : texts.collectedAgo(ago(request.createdAt))}
      </time>
      {request.stars !== null && <span>{texts.stars(request.stars)}</span>}
      {request.commentCount !== null && <span>{counts.comments(request.commentCount)}</span>}
      {request.license && <span>{request.license}</span>}
    </p>
  )
}

/** So many characters of a description are shown at first. */
const excerptLength = 280

/** The text of a request, its beginning or the part that matches first. */
export function Description({ request }: { request: FoundRequest }) {
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
