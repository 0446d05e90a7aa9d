import { useState } from 'react'
import { useMayChange } from '../api/session-store.ts'
import type { RequestRecord, WishDetail } from '../api/types.ts'
import { Correction } from '../search/correction.tsx'
import { Description, Marks, Origin, SourceLink } from '../search/request-parts.tsx'
import { number, platformTitle } from '../shell/format.ts'
import { MoreButton } from '../shell/more-button.tsx'
import { Problem } from '../shell/problem.tsx'
import { counts, ownAsks } from '../texts/counts.ts'
import { wishPageTexts as texts } from '../texts/later/wish.ts'
import { useChanges } from './changes.ts'
import type { useWish } from './use-wish.ts'

interface MembersProps {
  wish: WishDetail
  query: ReturnType<typeof useWish>
}

const sizeOf = ({ requestCount, own }: WishDetail) => requestCount + (own?.asks ?? 0)

/** Who asks for it, in their own words, by platform; the platform with most votes first. */
export function Members({ wish, query }: MembersProps) {
  // A request that got votes meanwhile may be in two pages: it is shown once.
  const members = [
    ...new Map(query.data?.pages.flatMap((page) => page.members.results).map((one) => [one._id, one])).values(),
  ]
  const byPlatform = Map.groupBy(members, ({ sourcePlatform }) => sourcePlatform)
  const { own, votesByPlatform } = wish
  const groups = [
    ...votesByPlatform.map(({ platform, requests, votes }) => ({
      platform,
      numbers: `${counts.requests(requests)} · ${counts.votes(votes)}`,
    })),
    ...(own ? [{ platform: 'import', numbers: ownAsks(own) }] : []),
  ].filter(({ platform }) => byPlatform.has(platform))
  return (
    <section aria-labelledby="members">
      <h3 id="members">{texts.members}</h3>
      {groups.map(({ platform, numbers }) => (
        <div key={platform} className="platform-members">
          {sizeOf(wish) > 1 && (
            <h4>
              {platformTitle(platform)} <span className="note">{numbers}</span>
            </h4>
          )}
          <ol>
            {byPlatform.get(platform)!.map((request) => (
              <Member key={request._id} request={request} wish={wish} />
            ))}
          </ol>
        </div>
      ))}
      <MoreButton query={query} />
    </section>
  )
}

const Member = ({ request, wish }: { request: RequestRecord; wish: WishDetail }) => (
  <li className="member">
    <p className="member-title">
      <bdi>
        <SourceLink request={request}>{request.title}</SourceLink>
      </bdi>{' '}
      <span className="note">{texts.votesBriefly(number(request.votes), request.votes)}</span>
    </p>
    <Marks request={request} />
    <Description request={request} />
    <Origin request={request} />
    <p className="member-actions">
      <Correction request={request} />
      {sizeOf(wish) > 1 && <SplitOff request={request} wish={wish} />}
    </p>
  </li>
)

/** Takes a request out of the wish. */
function SplitOff({ request, wish }: { request: RequestRecord; wish: WishDetail }) {
  const { split } = useChanges()
  const mayChange = useMayChange()
  const [state, setState] = useState<'ready' | 'busy' | { error: unknown }>('ready')
  if (!mayChange) return null
  const take = () => {
    setState('busy')
    split(wish, request).catch((error: unknown) => setState({ error }))
  }
  return (
    <>
      <button type="button" className="quiet small" disabled={state === 'busy'} onClick={take}>
        {texts.splitOffButton}
      </button>
      {typeof state === 'object' && <Problem error={state.error} />}
    </>
  )
}
