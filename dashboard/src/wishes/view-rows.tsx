import { type ReactNode, useCallback, useEffect, useMemo, useRef } from 'react'
import { isStatus } from '../api/client.ts'
import { Expansion } from '../search/expansion.tsx'
import { addressOf, filterCount, listsRequests, ordersFor, type View } from '../search/view.ts'
import { wishAddress } from '../shell/addresses.ts'
import { Aside } from '../shell/aside.tsx'
import { later } from '../shell/later.ts'
import { Loading } from '../shell/page.tsx'
import { Problem } from '../shell/problem.tsx'
import { navigate, useIsTyping } from '../shell/router.tsx'
import { useMatches } from '../shell/use-matches.ts'
import { searchTexts } from '../texts/search.ts'
import { wishTexts as texts } from '../texts/wishes.ts'
import { ActiveFilters } from './active-filters.tsx'
import { Corrected, CountLine, MaybeMore, NothingFound, Understood } from './around.tsx'
import { Facets } from './facets.tsx'
import { useRowKeys, type Wished } from './keyboard.ts'
import { WishList } from './list.tsx'
import { type Row, type RowPage, rowsOf } from './rows.ts'
import { TopicHead } from './topic-head.tsx'
import { type Counts, useCounts, useRows } from './use-rows.ts'

// After the rows, and only one line.
const AccuracyNote = later(async () => (await import('../review/accuracy.tsx')).AccuracyNote)

interface RowsProps {
  view: View
  show: (view: View) => void
  openId: string | null
  /** Null where there is no room beside the list. */
  openBeside: ((wishId: string | null) => void) | null
  /** Called when there are rows. */
  onRows: () => void
  /** Saves the view; it stands beside the order. */
  save: ReactNode
}

/** The rows of a view, with its filters and what is said of them. */
export function Rows({ view, show, openId, openBeside, onRows, save }: RowsProps) {
  const typing = useIsTyping()
  const results = useRows(view, typing)
  const { data, error, isPlaceholderData, hasNextPage, isFetchingNextPage, isFetchNextPageError, fetchNextPage } =
    results
  const counts = useCounts(view, typing, data !== undefined && !isPlaceholderData)
  const rows = useMemo(() => rowsOf(data?.pages ?? []), [data])
  const before = useShownBefore(view.query, isPlaceholderData || !data ? null : rows)
  const meta = data?.pages[0]?.meta ?? null
  const hasData = data !== undefined
  useEffect(() => {
    if (hasData) onRows()
  }, [hasData, onRows])
  const open = useCallback((row: Row) => openBeside?.(row.wishId), [openBeside])
  const goTo = (wish: Wished) => (openBeside === null ? navigate(wishAddress(wish.wishId)) : openBeside(wish.wishId))
  // A refusal concerns this view only; after any other error the rows on the screen stay.
  const stays = !data && error !== null && !isStatus(error, 400, 403, 404) ? before : null
  const shown = stays?.rows ?? rows
  useRowKeys({ rows: shown, openId, openBeside, goTo })
  const canLoad = hasNextPage && !isFetchingNextPage && !isFetchNextPageError && !isPlaceholderData
  const loadMore = useMemo(() => (canLoad ? () => void fetchNextPage() : null), [canLoad, fetchNextPage])
  return (
    <>
      <Rail view={view} counts={counts} />
      <div className="list-side">
        {view.topic !== '' && view.query === '' && <TopicHead topic={view.topic} />}
        <div className="list-head">
          {stays ? (
            <p className="count">{texts.stillShown(stays.query)}</p>
          ) : (
            <CountLine view={view} rows={rows} results={results} counts={counts} />
          )}
          {save}
          <Order view={view} show={show} />
        </div>
        <ActiveFilters view={view} show={show} />
        {meta && !isPlaceholderData && <Understood understood={meta.understood} />}
        {meta?.didYouMean && !isPlaceholderData && <Corrected view={view} words={meta.didYouMean} show={show} />}
        {error !== null && !isFetchNextPageError && <Problem error={error} retry={results.refetch} />}
        {!data && error === null && <Loading what={searchTexts.searching} />}
        {data && rows.length === 0 && !hasNextPage && !isPlaceholderData && <NothingFound view={view} show={show} />}
        {shown.length > 0 && (
          <WishList
            rows={shown}
            openId={openId}
            open={openBeside === null ? null : open}
            isBusy={isPlaceholderData}
            loadMore={loadMore}
          />
        )}
        {isFetchNextPageError && <Problem error={error} retry={fetchNextPage} />}
        {data && !isPlaceholderData && <Below view={view} show={show} pages={data.pages} />}
      </div>
    </>
  )
}

/** The last rows and their query: they stay on the screen when the rows of another view cannot be read. */
function useShownBefore(query: string, rows: Row[] | null): { query: string; rows: Row[] } | null {
  const shown = useRef<{ query: string; rows: Row[] } | null>(null)
  useEffect(() => {
    if (rows !== null) shown.current = { query, rows }
  }, [query, rows])
  return shown.current
}

interface BelowProps extends Pick<RowsProps, 'view' | 'show'> {
  pages: readonly RowPage[]
}

/** What there is besides the rows: texts that may be requests, other words, and what the platforms have. */
function Below({ view, show, pages }: BelowProps) {
  const meta = pages[0]?.meta ?? null
  return (
    <>
      {pages.at(-1)?.limitReached && <p className="note">{searchTexts.capReached}</p>}
      <MaybeMore view={view} count={meta?.maybeResults ?? 0} show={show} />
      {view.query !== '' && <Expansion key={addressOf(view)} view={view} />}
      <Aside instead={null}>
        <AccuracyNote />
      </Aside>
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
