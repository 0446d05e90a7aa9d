import { useCallback, useMemo } from 'react'
import { isStatus } from '../api/client.ts'
import { Expansion } from '../search/expansion.tsx'
import { SearchBox } from '../search/search-box.tsx'
import { addressOf, filterCount, listsRequests, ordersFor, parseView, type View } from '../search/view.ts'
import { wishAddress } from '../shell/addresses.ts'
import { Loading, Page } from '../shell/page.tsx'
import { Problem } from '../shell/problem.tsx'
import { Link, navigate, useAddress, useIsTyping } from '../shell/router.tsx'
import { useMatches } from '../shell/use-matches.ts'
import { searchTexts } from '../texts/search.ts'
import { wishTexts as texts } from '../texts/wishes.ts'
import { ActiveFilters } from './active-filters.tsx'
import { Corrected, CountLine, MaybeMore, NothingFound, Understood } from './around.tsx'
import { Facets } from './facets.tsx'
import { useRowKeys, type Wished } from './keyboard.ts'
import { WishList } from './list.tsx'
import { WishPanel } from './panel.tsx'
import { type Row, rowsOf } from './rows.ts'
import { TopicHead } from './topic-head.tsx'
import { type Counts, useCounts, useRows } from './use-rows.ts'
import { ViewActions } from './view-actions.tsx'
import { standingViews } from './views.ts'

/** The parameter of the wish that is open beside the list. */
const openParameter = 'wish'

/** The list of wishes: everything, a saved view, a topic or a search; with the chosen wish beside it. */
export function WishesPage() {
  const { search } = useAddress()
  const parameters = new URLSearchParams(search)
  const openId = parameters.get(openParameter)
  parameters.delete(openParameter)
  const text = parameters.toString()
  const view = useMemo(() => parseView(new URLSearchParams(text)), [text])
  const hasRoom = useMatches('(min-width: 64rem)')
  const show = useCallback((next: View) => navigate(addressOf(next)), [])
  const openBeside = useCallback(
    (wishId: string | null) => {
      const address = addressOf(view)
      const beside = wishId === null ? '' : `${address.includes('?') ? '&' : '?'}${openParameter}=${wishId}`
      navigate(`${address}${beside}`, { replace: true })
    },
    [view],
  )
  return (
    <Page title={titleOf(view)} actions={<ViewActions view={view} />}>
      <Views view={view} />
      <SearchBox query={view.query} />
      <div className="wishes-page" data-open={(hasRoom && openId !== null) || undefined}>
        <Rows view={view} show={show} openId={hasRoom ? openId : null} openBeside={hasRoom ? openBeside : null} />
        {hasRoom && openId !== null && <WishPanel key={openId} wishId={openId} close={() => openBeside(null)} />}
      </div>
    </Page>
  )
}

function titleOf(view: View): string {
  if (view.query !== '') return searchTexts.searchTitle(view.query)
  if (view.topic !== '') return view.topic
  const standing = standingViews.find((one) => addressOf(one.view) === addressOf(view))
  return standing === undefined || filterCount(view) + (view.sortBy === 'votes' ? 0 : 1) === 0
    ? texts.title
    : standing.name
}

/** The saved views. */
const Views = ({ view }: { view: View }) => (
  <nav className="views" aria-label={texts.viewsLabel}>
    {standingViews.map(({ name, view: standing }) => (
      <Link
        key={name}
        href={addressOf(standing)}
        aria-current={addressOf(standing) === addressOf(view) ? 'page' : undefined}
      >
        {name}
      </Link>
    ))}
  </nav>
)

interface RowsProps {
  view: View
  show: (view: View) => void
  openId: string | null
  /** Null where there is no room beside the list. */
  openBeside: ((wishId: string | null) => void) | null
}

function Rows({ view, show, openId, openBeside }: RowsProps) {
  const typing = useIsTyping()
  const results = useRows(view, typing)
  const counts = useCounts(view, typing)
  const { data, error, isPlaceholderData, hasNextPage, isFetchingNextPage, isFetchNextPageError, fetchNextPage } =
    results
  const rows = useMemo(() => rowsOf(data?.pages ?? []), [data])
  const meta = data?.pages[0]?.meta ?? null
  const open = useCallback((row: Row) => openBeside?.(row.wishId), [openBeside])
  const goTo = (wish: Wished) => (openBeside === null ? navigate(wishAddress(wish.wishId)) : openBeside(wish.wishId))
  useRowKeys({ rows, openId, openBeside, goTo })
  const isRefused = isStatus(error, 400, 403, 404)
  const canLoad = hasNextPage && !isFetchingNextPage && !isFetchNextPageError && !isPlaceholderData
  const loadMore = useMemo(() => (canLoad ? () => void fetchNextPage() : null), [canLoad, fetchNextPage])
  return (
    <>
      <Rail view={view} counts={counts.data} />
      <div className="list-side">
        {view.topic !== '' && view.query === '' && <TopicHead topic={view.topic} />}
        <div className="list-head">
          <CountLine view={view} rows={rows} results={results} counts={counts.data} />
          <Order view={view} show={show} />
        </div>
        <ActiveFilters view={view} show={show} />
        {meta?.didYouMean && !isPlaceholderData && <Corrected view={view} words={meta.didYouMean} show={show} />}
        {error !== null && !isFetchNextPageError && <Problem error={error} retry={results.refetch} />}
        {!data && error === null && <Loading what={searchTexts.searching} />}
        {data && rows.length === 0 && !hasNextPage && !isPlaceholderData && <NothingFound view={view} show={show} />}
        {rows.length > 0 && !(isRefused && isPlaceholderData) && (
          <WishList
            rows={rows}
            openId={openId}
            open={openBeside === null ? null : open}
            isBusy={isPlaceholderData}
            loadMore={loadMore}
          />
        )}
        {isFetchNextPageError && <Problem error={error} retry={fetchNextPage} />}
        {data?.pages.at(-1)?.limitReached && !isPlaceholderData && <p className="note">{searchTexts.capReached}</p>}
        {meta && !isPlaceholderData && <Understood understood={meta.understood} />}
        {data && !isPlaceholderData && <MaybeMore view={view} count={meta?.maybeResults ?? 0} show={show} />}
        {view.query !== '' && data && !isPlaceholderData && <Expansion key={addressOf(view)} view={view} />}
      </div>
    </>
  )
}

/** The filters: beside the list, or folded above it where there is no room. */
function Rail({ view, counts }: { view: View; counts: Counts | undefined }) {
  const isWide = useMatches('(min-width: 64rem)')
  const facets = <Facets view={view} counts={counts} />
  if (isWide) return <aside className="rail">{facets}</aside>
  return (
    <details className="rail">
      <summary>{searchTexts.filters(filterCount(view))}</summary>
      {facets}
    </details>
  )
}

const Order = ({ view, show }: Pick<RowsProps, 'view' | 'show'>) => (
  <label className="order">
    <span className="unseen">{searchTexts.sortBy}</span>
    <select
      value={listsRequests(view) && view.sortBy !== 'new' ? 'votes' : view.sortBy}
      onChange={(event) => show({ ...view, sortBy: event.target.value as View['sortBy'] })}
    >
      {ordersFor(view).map((order) => (
        <option key={order} value={order}>
          {texts.orders[order]}
        </option>
      ))}
    </select>
  </label>
)
