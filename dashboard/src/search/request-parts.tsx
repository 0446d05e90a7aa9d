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

/** The platform, the author and the age of a request. */
export function Origin({ request }: { request: FoundRequest }) {
  const author = request.authorName ?? request.authorHandle
  const askedAt = request.originalCreatedAt
  return (
    <p className="origin">
      <span className="platform">{platformTitle(request.sourcePlatform)}</span>
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
