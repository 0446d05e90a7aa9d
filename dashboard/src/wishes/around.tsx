import { useQuery } from '@tanstack/react-query'
import { api, dataOf } from '../api/client.ts'
import { useOwner } from '../api/session-store.ts'
import type { SearchMeta } from '../api/types.ts'
import { countInput, filterCount, listsRequests, type View, withoutFilters, withQuery } from '../search/view.ts'
import { newCollection } from '../shell/addresses.ts'
import { Empty } from '../shell/page.tsx'
import { Link } from '../shell/router.tsx'
import { searchTexts as texts } from '../texts/search.ts'
import { wishTexts } from '../texts/wishes.ts'
import type { Row } from './rows.ts'
import type { Counts, useRows } from './use-rows.ts'
import { periodBefore } from './views.ts'

// What stands around the rows: how many there are, how the words were read, what else there is.

interface CountLineProps {
  view: View
  rows: readonly Row[]
  results: ReturnType<typeof useRows>
  counts: Counts | undefined
}

/** How many there are, and in a period how many more than in the same time before. */
export function CountLine({ view, rows, results, counts }: CountLineProps) {
  const { data, isPlaceholderData, hasNextPage } = results
  const before = useCountBefore(view)
  if (!data || isPlaceholderData) return <p className="count" role="status" />
  const meta = data.pages[0]?.meta ?? null
  const withAll = rows.filter(({ hasAllWords }) => hasAllWords).length
  const parts =
    view.query !== ''
      ? [wishTexts.found(rows.length, withAll, hasNextPage)]
      : [
          listsRequests(view)
            ? wishTexts.countOfRequests(rows.length, hasNextPage)
            : wishTexts.count(rows.length, hasNextPage),
        ]
  const done = rows.filter(({ status }) => status === 'completed').length
  if (view.query !== '' && done > 0) parts.push(wishTexts.doneOf(done, rows.length))
  if (counts && !listsRequests(view) && view.query === '' && rows.length > 0) {
    parts.push(wishTexts.ofRequests(counts.total, counts.totalIsExact))
    if (before !== null && counts.totalIsExact) parts.push(wishTexts.comparedWith(counts.total, before))
  }
  if (meta?.window !== undefined) parts.push(texts.window(meta.window))
  if (meta && meta.understood.excluded.length > 0) parts.push(texts.excluded(meta.understood.excluded))
  return (
    <p className="count" role="status">
      {parts.join(' ')}
    </p>
  )
}

/** How many requests the time before the period of a list had; null where there is none to compare with. */
function useCountBefore(view: View): number | null {
  const owner = useOwner()
  const before = periodBefore(view)
  const { data } = useQuery({
    queryKey: [owner, 'rows', 'before', { ...view, ...before }],
    queryFn: ({ signal }) =>
      dataOf(api.GET('/api/v1/requests/facets', { params: { query: countInput({ ...view, ...before }) }, signal })),
    enabled: before !== null && view.query === '' && view.job === '' && view.mark === null && !view.isStarred,
    staleTime: 5 * 60_000,
  })
  return data?.totalIsExact ? data.total : null
}

interface ShowProps {
  view: View
  show: (view: View) => void
}

/** Says that the results are those of corrected words. */
export const Corrected = ({ view, words, show }: ShowProps & { words: string }) => (
  <p className="corrected">
    {texts.correctedFrom}{' '}
    <button type="button" className="as-link" onClick={() => show(withQuery(view, words))}>
      <bdi>{words}</bdi>
    </button>
    <bdi>{texts.correctedInstead(view.query)}</bdi>{' '}
    <button
      type="button"
      className="as-link"
      onClick={() => show(withQuery(view, `"${view.query.replaceAll('"', ' ')}"`))}
    >
      {wishTexts.searchInstead(view.query)}
    </button>
  </p>
)

/** Which other words were searched, and which nothing has. */
export function Understood({ understood: { words, alternatives, unknown } }: Pick<SearchMeta, 'understood'>) {
  const said = [
    ...alternatives.map((one) => texts.alsoSearched(one.words, one.others)),
    ...(unknown.length === 0 ? [] : [texts.unknown(unknown, 2 * unknown.length > words.length)]),
  ]
  return said.length === 0 ? null : <p className="note">{said.join(' ')}</p>
}

/** Offers the texts that may be requests, after those that are likely ones. */
export function MaybeMore({ view, count, show }: ShowProps & { count: number }) {
  if (count === 0 || view.include !== null) return null
  const showMaybe = () => {
    // The button goes, and the results begin anew.
    document.getElementById('heading')?.focus()
    show({ ...view, include: 'maybe' })
  }
  return (
    <p className="more-maybe">
      {texts.moreMaybe(count)}{' '}
      <button type="button" onClick={showMaybe}>
        {texts.showMaybe(count)}
      </button>
    </p>
  )
}

/** Why the list is empty, and what helps. */
export function NothingFound({ view, show }: ShowProps) {
  const isFiltered = filterCount(view) > 0
  // The list of a mark is a place of its own, not a filter that was chosen.
  if (view.mark !== null && filterCount(view) === 1) {
    return (
      <Empty title={wishTexts.nothingMarked(view.mark)}>
        <p>{wishTexts.nothingMarkedAdvice}</p>
      </Empty>
    )
  }
  const isGrowing = view.query === '' && view.sortBy === 'growing' && !isFiltered
  return (
    <Empty title={isGrowing ? wishTexts.nothingGrew : view.query === '' ? wishTexts.nothingListed : texts.nothingFound}>
      <p>{isGrowing ? wishTexts.nothingGrewAdvice : <Advice view={view} />}</p>
      {isFiltered && (
        <button type="button" onClick={() => show(withoutFilters(view))}>
          {texts.clearFilters}
        </button>
      )}
      {view.query.length > 1 && (
        <Link className="button primary" href={newCollection({ topic: [...view.query].slice(0, 100).join('') })}>
          {texts.collectThis}
        </Link>
      )}
    </Empty>
  )
}

/** Whether nothing was found because nothing is stored yet. */
function Advice({ view }: { view: View }) {
  const owner = useOwner()
  const { data } = useQuery({
    queryKey: [owner, 'rows', 'any'],
    queryFn: ({ signal }) => dataOf(api.GET('/api/v1/requests/facets', { params: { query: {} }, signal })),
  })
  if (data?.total === 0) return texts.nothingCollectedYet
  return view.query === '' ? texts.nothingListedAdvice : texts.nothingFoundAdvice
}
