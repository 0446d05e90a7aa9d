import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api, dataOf } from '../api/client.ts'
import { useOwner } from '../api/session-store.ts'
import type { Changes, Wish, WishTrend } from '../api/types.ts'
import { wishAddress } from '../shell/addresses.ts'
import { ago, dateAndTime, number, platformTitle, signed } from '../shell/format.ts'
import { Loading, Page } from '../shell/page.tsx'
import { Problem } from '../shell/problem.tsx'
import { Link, navigate } from '../shell/router.tsx'
import { ownAsks } from '../texts/counts.ts'
import { homeTexts as texts } from '../texts/home.ts'
import { useRowKeys } from '../wishes/keyboard.ts'
import { Sparkline } from '../wishes/sparkline.tsx'
import { useTrends } from '../wishes/use-rows.ts'
import { FirstSteps } from './first-steps.tsx'
import { HiddenDemand } from './hidden.tsx'
import { useLastVisit } from './last-visit.ts'
import { ToReview } from './to-review.tsx'
import { WatchesAtHome } from './watches-at-home.tsx'

const dayMs = 86_400_000
/** Wishes of each list: at first, and of all that are asked for. */
const shortList = 8
const longList = 100
const kinds = ['rising', 'new', 'done'] as const
type Kind = (typeof kinds)[number]
type Changed = Wish & { votesGained?: number }
const spans = ['visit', 'day', 'week', 'month'] as const
type Span = (typeof spans)[number]
const daysOf: Record<Exclude<Span, 'visit'>, number> = { day: 1, week: 7, month: 30 }

let moment = 0
/** The same moment for half a minute, as long as what was read is fresh: a return to the page reads nothing again. */
function presentMoment(): number {
  if (Date.now() - moment > 30_000) moment = Date.now()
  return moment
}

/** What changed: what people want more than before, what is new and what is done; the watches, and what waits for a decision. */
export function HomePage() {
  const visit = useLastVisit()
  const [span, setSpan] = useState<Span>(visit.isFirst ? 'week' : 'visit')
  const [now] = useState(presentMoment)
  const since = span === 'visit' ? visit.since : new Date(now - daysOf[span] * dayMs).toISOString()
  const [whole, setWhole] = useState<readonly Kind[]>([])
  const limit = whole.length === 0 ? shortList : longList
  const owner = useOwner()
  const { data, error, refetch } = useQuery({
    queryKey: [owner, 'changes', since, limit],
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) => dataOf(api.GET('/api/v1/changes', { params: { query: { since, limit } }, signal })),
  })
  const anything = useQuery({
    queryKey: [owner, 'rows', 'any'],
    queryFn: ({ signal }) => dataOf(api.GET('/api/v1/requests/facets', { params: { query: {} }, signal })),
  })
  return (
    <Page
      title={texts.title}
      actions={
        <label className="span-choice">
          <span className="unseen">{texts.since}</span>
          <select value={span} onChange={({ target }) => setSpan(target.value as Span)}>
            {spans
              .filter((one) => one !== 'visit' || !visit.isFirst)
              .map((one) => (
                <option key={one} value={one}>
                  {one === 'visit' ? texts.sinceVisit(ago(visit.since)) : texts.spans[one]}
                </option>
              ))}
          </select>
        </label>
      }
    >
      {anything.data?.total === 0 && <FirstSteps />}
      {error !== null && <Problem error={error} retry={refetch} />}
      {!data && error === null && <Loading />}
      {data && anything.data?.total !== 0 && (
        <ChangeLists changes={data} whole={whole} showAll={(kind) => setWhole([...whole, kind])} />
      )}
      <HiddenDemand />
      <div className="home-pair">
        <WatchesAtHome />
        <ToReview />
      </div>
    </Page>
  )
}

interface ChangeListsProps {
  changes: Changes
  /** The lists of which all is shown. */
  whole: readonly Kind[]
  showAll: (kind: Kind) => void
}

const goTo = ({ wishId }: { wishId: string }) => navigate(wishAddress(wishId))

function ChangeLists({ changes, whole, showAll }: ChangeListsProps) {
  const shown = (kind: Kind): Changed[] =>
    whole.includes(kind) ? changes[kind].results : changes[kind].results.slice(0, shortList)
  const trends = useTrends(changes.rising.results.map(({ wishId }) => wishId))
  // One that is in two lists is reached in the first of them.
  const rows = [...new Map(kinds.flatMap(shown).map((wish) => [wish.wishId, wish])).values()]
  useRowKeys({ rows, openId: null, openBeside: null, goTo })
  return (
    <div className="changes">
      <p className="unseen" role="status">
        {texts.summary(changes.rising.total, changes.new.total, changes.done.total)}
      </p>
      {kinds.map((kind) => (
        <section key={kind} className={`change-list ${kind}`} aria-labelledby={`changes-${kind}`}>
          <h2 id={`changes-${kind}`}>
            {texts.kinds[kind]} <span className="facet-count">{number(changes[kind].total)}</span>
            <span className="note">{texts.figures[kind]}</span>
          </h2>
          {changes[kind].results.length === 0 && <p className="note">{texts.none[kind]}</p>}
          <ol>
            {shown(kind).map((wish) => (
              <ChangedWish
                key={wish.wishId}
                wish={wish}
                gained={wish.votesGained ?? null}
                trend={trends.get(wish.wishId)}
              />
            ))}
          </ol>
          {changes[kind].total > shown(kind).length && !whole.includes(kind) && (
            <button type="button" className="as-link" onClick={() => showAll(kind)}>
              {texts.showAll(changes[kind].total)}
            </button>
          )}
        </section>
      ))}
    </div>
  )
}

interface ChangedWishProps {
  wish: Wish
  gained: number | null
  trend: WishTrend | undefined
}

const ChangedWish = ({ wish, gained, trend }: ChangedWishProps) => (
  <li>
    <span className="change-figure">
      {gained === null ? number(wish.votes) : signed(gained)}
      <span className="unseen"> {gained === null ? texts.votes(wish.votes) : texts.votesMore(gained)}</span>
    </span>
    <span className="change-what">
      <Link data-row={wish.wishId} href={wishAddress(wish.wishId)} dir="auto">
        {wish.title}
      </Link>
      <span className="note" title={dateAndTime(wish.lastAskedAt)}>
        {texts.facts(wish.votes, wish.requestCount, wish.platforms.map(platformTitle), gained !== null)}
        {wish.own && ` · ${ownAsks(wish.own)}`}
        {wish.mark?.mark && ` · ${texts.marked(wish.mark.mark)}`}
      </span>
    </span>
    {trend && <Sparkline trend={trend} />}
  </li>
)
