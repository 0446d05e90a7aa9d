import { useEffect, useMemo, useRef } from 'react'
import { isStatus } from '../api/client.ts'
import type { FoundRequest, SearchMeta } from '../api/types.ts'
import { FeedButton } from '../feeds/feed-button.tsx'
import { collectAddress, newCollection, newWatch } from '../shell/addresses.ts'
import { MoreButton } from '../shell/more-button.tsx'
import { Empty, Loading, Page } from '../shell/page.tsx'
import { Problem } from '../shell/problem.tsx'
import { Link, navigate, useAddress, useIsTyping } from '../shell/router.tsx'
import { searchTexts as texts } from '../texts/search.ts'
import { watchTexts } from '../texts/watches.ts'
import { ActiveFilters } from './active-filters.tsx'
import { Expansion } from './expansion.tsx'
import { ExportMenu } from './export-menu.tsx'
import { Filters } from './filters.tsx'
import { moveThrough } from './keyboard.ts'
import { ResultCard } from './result-card.tsx'
import { SearchBox } from './search-box.tsx'
import { ShareLink } from './share-link.tsx'
import { type Results, useResults } from './use-results.ts'
import {
  addressOf,
  feedOf,
  filterCount,
  isTopic,
  parseView,
  topicLength,
  type View,
  withoutFilters,
  withQuery,
} from './view.ts'

/** The search; without a query, the list of every stored request. */
export function SearchPage() {
  const { search } = useAddress()
  const view = useMemo(() => parseView(new URLSearchParams(search)), [search])
  const show = (next: View) => navigate(addressOf(next))
  const list = useRef<HTMLDivElement>(null)
  return (
    <Page
      title={view.query === '' ? texts.browseTitle : texts.searchTitle(view.query)}
      actions={
        <>
          <ShareLink />
          <Follow view={view} />
          <ExportMenu view={view} />
        </>
      }
    >
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the arrows only move the focus between elements that are focusable anyway */}
      <div ref={list} onKeyDown={(event) => moveThrough(event, list.current)}>
        <SearchBox query={view.query} />
        <Filters view={view} show={show} />
        <ActiveFilters view={view} show={show} />
        <ResultList view={view} show={show} />
      </div>
    </Page>
  )
}

/** A watch and a feed of what is searched; the list of everything has neither. */
function Follow({ view }: { view: View }) {
  const topic = [...(view.query === '' ? view.topic : view.query)].slice(0, topicLength.max).join('')
  return (
    <>
      {isTopic(topic) && (
        <Link
          className="button"
          href={newWatch({ topic, ...(view.platforms.length > 0 && { platforms: view.platforms }) })}
        >
          {watchTexts.watchThis}
        </Link>
      )}
      {view.query !== '' && <FeedButton key={addressOf(view)} target={feedOf(view)} />}
    </>
  )
}

function ResultList({ view, show }: { view: View; show: (view: View) => void }) {
  const results = useResults(view, useIsTyping())
  const { data, error, isPlaceholderData, hasNextPage, isFetchNextPageError } = results
  const before = useShownBefore(view, results)
  if (!data) {
    if (error === null) return <Loading what={texts.searching} />
    // A refusal concerns this view only; after any other error the results on the screen stay.
    const stays = isStatus(error, 400, 403, 404) ? null : before
    return (
      <>
        <Problem error={error} retry={results.refetch} />
        {stays && <p className="count">{texts.shownBefore(stays.query)}</p>}
        {stays && <Cards found={stays.found} busy={false} view={view} show={show} />}
      </>
    )
  }
  const found = foundIn(data)
  const last = data.pages.at(-1)
  const meta = data.pages[0]?.meta ?? null
  return (
    <>
      {meta?.didYouMean && !isPlaceholderData && <Corrected view={view} words={meta.didYouMean} show={show} />}
      {error !== null && !isFetchNextPageError && <Problem error={error} retry={results.refetch} />}
      {view.query !== '' && <Expansion key={addressOf(view)} view={view} />}
      <p className="count" role="status">
        {isPlaceholderData ? texts.searching : countOf(found.length, hasNextPage, { meta, view })}
        {!isPlaceholderData && meta?.window !== undefined && ` ${texts.window(meta.window)}`}
        {!isPlaceholderData &&
          meta &&
          meta.understood.excluded.length > 0 &&
          ` ${texts.excluded(meta.understood.excluded)}`}
      </p>
      {!isPlaceholderData && meta && <Understood understood={meta.understood} />}
      {found.length === 0 && hasNextPage && <p className="note">{texts.noneSoFar}</p>}
      {found.length === 0 && !hasNextPage && !isPlaceholderData ? (
        <NothingFound view={view} show={show} />
      ) : (
        <Cards
          found={found}
          // Where some only fill up for an exact phrase, each says so; an expansion mixes the matches of several queries.
          allWords={
            meta?.expanded || found.some(({ matchedBy }) => matchedBy)
              ? null
              : withAllWords(found.length, { meta, view })
          }
          busy={isPlaceholderData}
          view={view}
          show={show}
        />
      )}
      {last?.limitReached && !isPlaceholderData && <p className="note">{texts.capReached}</p>}
      {!isPlaceholderData && <MoreButton query={results} />}
      {!isPlaceholderData && (
        <MoreMaybe view={view} count={meta?.maybeResults ?? 0} likely={found.length} show={show} />
      )}
    </>
  )
}

interface Counted {
  meta: SearchMeta | null
  view: View
}

/** How many of the shown results have all words, where that is known and others follow them; null else. */
function withAllWords(shown: number, { meta, view }: Counted): number | null {
  if (meta?.total === undefined || meta.totalIsExact === false || view.include !== null) return null
  return meta.total < shown ? meta.total : null
}

function countOf(shown: number, more: boolean, counted: Counted): string {
  const { meta, view } = counted
  const all = withAllWords(shown, counted)
  if (all !== null) return texts.haveAllWords(shown, more, all)
  const count = texts.count(shown, more, view.include !== null)
  if (!more || meta?.total === undefined) return count
  return `${count} ${texts.total(meta.total, meta.totalIsExact ?? true)}`
}

/** Pages may shift while a collection writes: a request that is in two of them is shown once. */
const foundIn = ({ pages }: Pick<Results, 'pages'>): FoundRequest[] => [
  ...new Map(pages.flatMap((page) => page.results).map((one) => [one._id, one])).values(),
]

/** The last results and their query: they stay on the screen when the results of another view cannot be read. */
function useShownBefore({ query }: View, { data, isPlaceholderData }: ReturnType<typeof useResults>) {
  const shown = useRef<{ query: string; found: FoundRequest[] } | null>(null)
  useEffect(() => {
    if (data && !isPlaceholderData) shown.current = { query, found: foundIn(data) }
  }, [query, data, isPlaceholderData])
  return shown.current
}

interface CardsProps {
  found: FoundRequest[]
  /** So many of them, the first ones, have all words; null where there is nothing to tell apart. */
  allWords?: number | null
  /** Whether they belong to the previous view, until the results of this one arrive. */
  busy: boolean
  view: View
  show: (view: View) => void
}

const Cards = ({ found, allWords = null, busy, view, show }: CardsProps) => (
  <ol className="results" aria-busy={busy}>
    {found.map((request, index) => (
      <li key={request._id}>
        {index === allWords && allWords > 0 && <p className="note">{texts.haveSomeWords}</p>}
        <ResultCard request={request} view={view} show={show} />
      </li>
    ))}
  </ol>
)

interface MoreMaybeProps {
  view: View
  count: number
  /** How many likely requests are shown before. */
  likely: number
  show: (view: View) => void
}

/** Offers the matches that may be requests, after the likely ones. */
function MoreMaybe({ view, count, likely, show }: MoreMaybeProps) {
  if (count === 0 || view.include !== null) return null
  const showMaybe = () => {
    // The button goes, and the results begin anew.
    document.getElementById('heading')?.focus()
    show({ ...view, include: 'maybe' })
  }
  return (
    <p className="more-maybe">
      {texts.moreMaybe(count, likely)}{' '}
      <button type="button" onClick={showMaybe}>
        {texts.showMaybe(count)}
      </button>
    </p>
  )
}

/** Says that the results are those of corrected words. */
const Corrected = ({ view, words, show }: { view: View; words: string; show: (view: View) => void }) => (
  <p className="corrected">
    {texts.correctedFrom}{' '}
    <button type="button" className="as-link" onClick={() => show(withQuery(view, words))}>
      <bdi>{words}</bdi>
    </button>
    <bdi>{texts.correctedInstead(view.query)}</bdi>
  </p>
)

/** Which other words were searched, and which nothing has. */
function Understood({ understood: { words, alternatives, unknown } }: Pick<SearchMeta, 'understood'>) {
  const said = [
    ...alternatives.map((one) => texts.alsoSearched(one.words, one.others)),
    ...(unknown.length === 0 ? [] : [texts.unknown(unknown, 2 * unknown.length > words.length)]),
  ]
  return said.length === 0 ? null : <p className="note">{said.join(' ')}</p>
}

function NothingFound({ view, show }: { view: View; show: (view: View) => void }) {
  const isFiltered = filterCount(view) > 0
  if (view.query === '' && !isFiltered) {
    return (
      <Empty title={texts.nothingCollected}>
        <p>{texts.nothingCollectedAdvice}</p>
        <Link className="button primary" href={collectAddress}>
          {texts.toCollect}
        </Link>
      </Empty>
    )
  }
  return (
    <Empty title={view.query === '' ? texts.nothingListed : texts.nothingFound}>
      <NothingCollectedAtAll isSearch={view.query !== ''} />
      {isFiltered && (
        <button type="button" onClick={() => show(withoutFilters(view))}>
          {texts.clearFilters}
        </button>
      )}
      {view.query.length > 1 && (
        <Link className="button" href={newCollection({ topic: [...view.query].slice(0, 100).join('') })}>
          {texts.collectThis}
        </Link>
      )}
    </Empty>
  )
}

/** Says whether nothing was found because nothing is stored yet. */
function NothingCollectedAtAll({ isSearch }: { isSearch: boolean }) {
  const everything = useResults(parseView(new URLSearchParams()), false)
  const isEmpty = everything.data?.pages[0]?.results.length === 0
  if (isEmpty) return <p>{texts.nothingCollectedYet}</p>
  return <p>{isSearch ? texts.nothingFoundAdvice : texts.nothingListedAdvice}</p>
}
