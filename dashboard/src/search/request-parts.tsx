import type { ReactNode } from 'react'
import type { FoundRequest } from '../api/types.ts'
import { ago, dateAndTime, number, platformTitle, plural } from '../shell/format.ts'
import { searchTexts as texts } from '../texts/search.ts'
import { highlightOf, Marked } from './highlighted.tsx'

export const Votes = ({ votes }: { votes: number }) => (
  <p className="votes">
    <strong>{number(votes)}</strong>
    <span>{texts.votes(votes)}</span>
  </p>
)

/** Only a web address becomes a link: the address is text from outside. */
export function SourceLink({ request, children }: { request: FoundRequest; children: ReactNode }) {
  const isWeb = /^https?:\/\//i.test(request.sourceUrl)
  if (!isWeb) {
    return (
      // biome-ignore lint/a11y/noNoninteractiveTabindex: the arrows stop here too
      <span data-result="" tabIndex={0}>
        {children}
      </span>
    )
  }
  return (
    <a data-result="" href={request.sourceUrl} target="_blank" rel="noopener noreferrer nofollow ugc">
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
  return (
    <p className="origin">
      <span className="platform">{platformTitle(request.sourcePlatform)}</span>
      {request.sourceName && <bdi>{request.sourceName}</bdi>}
      {author && (
        <bdi className="author">
          <Marked text={author} highlight={highlightOf(request, 'author')} />
        </bdi>
      )}
      <time dateTime={askedAt ?? request.createdAt} title={dateAndTime(askedAt ?? request.createdAt)}>
        {askedAt ? ago(askedAt) : texts.collectedAgo(ago(request.createdAt))}
      </time>
      {request.commentCount !== null && <span>{plural(request.commentCount, 'comment')}</span>}
      {request.license && <span>{request.license}</span>}
    </p>
  )
}
