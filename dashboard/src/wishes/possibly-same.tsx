import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { searchWishes } from '../api/calls.ts'
import { useMayChange, useOwner } from '../api/session-store.ts'
import type { WishDetail } from '../api/types.ts'
import { everything, wishSearchBody, withQuery } from '../search/view.ts'
import { wishAddress } from '../shell/addresses.ts'
import { number, platformTitle } from '../shell/format.ts'
import { Problem } from '../shell/problem.tsx'
import { Link } from '../shell/router.tsx'
import { counts, ownAsks } from '../texts/counts.ts'
import { wishPageTexts as texts } from '../texts/later/wish.ts'
import { useChanges } from './changes.ts'

interface Other {
  wishId: string
  title: string
  votes: number
  requestCount: number
  own: WishDetail['own']
  platforms: readonly string[]
}

/** Wishes that may be the same, and a search for another one that is. */
export function PossiblySame({ wish }: { wish: WishDetail }) {
  const mayChange = useMayChange()
  if (wish.possiblySame.length === 0 && !mayChange) return null
  return (
    <section aria-labelledby="possibly-same">
      <h3 id="possibly-same">{texts.possiblySame}</h3>
      {wish.possiblySame.length > 0 && (
        <>
          <p className="note">{texts.possiblySameIntro}</p>
          <ol className="others">
            {wish.possiblySame.map((other) => (
              <OtherWish key={other.wishId} wish={wish} other={other} canPart />
            ))}
          </ol>
        </>
      )}
      {mayChange && <MergeSearch wish={wish} />}
    </section>
  )
}

function OtherWish({ wish, other, canPart }: { wish: WishDetail; other: Other; canPart: boolean }) {
  const { merge, part } = useChanges()
  const mayChange = useMayChange()
  const [state, setState] = useState<'ready' | 'busy' | { error: unknown }>('ready')
  const act = (change: typeof merge) => {
    setState('busy')
    change(wish, other).catch((error: unknown) => setState({ error }))
  }
  return (
    <li>
      <p dir="auto">
        <Link href={wishAddress(other.wishId)}>{other.title}</Link>
      </p>
      <p className="note">
        {counts.votes(other.votes)} · {counts.requests(other.requestCount)} · {other.own && `${ownAsks(other.own)} · `}
        {other.platforms.map(platformTitle).join(', ')}
      </p>
      {mayChange && (
        <p className="member-actions">
          <button
            type="button"
            className="small"
            disabled={state === 'busy'}
            aria-label={texts.sameLabel(other.title)}
            onClick={() => act(merge)}
          >
            {texts.same}
          </button>
          {canPart && (
            <button
              type="button"
              className="quiet small"
              disabled={state === 'busy'}
              aria-label={texts.notSameLabel(other.title)}
              onClick={() => act(part)}
            >
              {texts.notSame}
            </button>
          )}
        </p>
      )}
      {typeof state === 'object' && <Problem error={state.error} />}
    </li>
  )
}

const shownOthers = 5

/** Finds the wish that this one is the same as. */
function MergeSearch({ wish }: { wish: WishDetail }) {
  const owner = useOwner()
  const [text, setText] = useState('')
  const query = text.trim()
  const { data, error } = useQuery({
    queryKey: [owner, 'rows', 'merge', query],
    queryFn: ({ signal }) =>
      searchWishes(
        { ...wishSearchBody(withQuery(everything, query), { offset: 0, typing: true }), limit: shownOthers + 1 },
        signal,
      ),
    enabled: query.length > 1,
    placeholderData: keepPreviousData,
  })
  const others = (query.length > 1 ? (data?.data.results ?? []) : [])
    .filter((one) => one.wishId !== null && one.wishId !== wish.wishId)
    .slice(0, shownOthers)
  return (
    <div className="merge-search">
      <label htmlFor="merge-search">{texts.mergeSearch}</label>
      <input
        id="merge-search"
        type="search"
        dir="auto"
        maxLength={200}
        autoComplete="off"
        placeholder={texts.mergePlaceholder}
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
      {error !== null && <Problem error={error} />}
      <p className="unseen" role="status">
        {query.length > 1 && data ? texts.othersFound(number(others.length)) : ''}
      </p>
      <ol className="others">
        {others.map((other) => (
          <OtherWish key={other.wishId} wish={wish} other={{ ...other, wishId: other.wishId! }} canPart={false} />
        ))}
      </ol>
    </div>
  )
}
