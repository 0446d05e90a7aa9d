import { useWindowVirtualizer } from '@tanstack/react-virtual'
import { useEffect, useLayoutEffect, useRef, useState } from 'react'
import { useMatches } from '../shell/use-matches.ts'
import { wishTexts as texts } from '../texts/wishes.ts'
import { WishRow } from './row.tsx'
import type { Row } from './rows.ts'
import { useTrends } from './use-rows.ts'

interface WishListProps {
  rows: Row[]
  openId: string | null
  open: ((row: Row) => void) | null
  /** They belong to the view before, until those of this one are here. */
  isBusy: boolean
  /** Reads the next page; null where there is none, or while it is read. */
  loadMore: (() => void) | null
}

/** Pixels, as `.wish-row` has them. */
const heights = { wide: 44, narrow: 68 }
const dividerHeight = 36
/** The next page is read when so many rows are left. */
const rowsAhead = 20

/** Thousands of rows, of which only those on the screen are in the document. */
export function WishList({ rows, openId, open, isBusy, loadMore }: WishListProps) {
  const list = useRef<HTMLOListElement>(null)
  const isWide = useMatches('(min-width: 44rem)')
  const [top, setTop] = useState(0)
  useLayoutEffect(() => {
    const next = (list.current?.getBoundingClientRect().top ?? 0) + window.scrollY
    setTop((before) => (Math.abs(before - next) < 1 ? before : next))
  })
  const dividerAt = rows.findIndex(({ hasAllWords }) => hasAllWords === false)
  const height = isWide ? heights.wide : heights.narrow
  const virtual = useWindowVirtualizer({
    count: rows.length,
    estimateSize: (at) => height + (at === dividerAt && at > 0 ? dividerHeight : 0),
    getItemKey: (at) => rows[at]?.id ?? at,
    overscan: 12,
    scrollMargin: top,
  })
  // biome-ignore lint/correctness/useExhaustiveDependencies: sizes are estimated anew when what decides them changes
  useEffect(() => virtual.measure(), [height, dividerAt])
  const items = virtual.getVirtualItems()
  const last = items.at(-1)?.index ?? 0
  useEffect(() => {
    if (last >= rows.length - rowsAhead) loadMore?.()
  }, [last, rows.length, loadMore])
  const shown = items.flatMap(({ index }) => rows[index]?.wishId ?? [])
  const trends = useTrends(useStable(pagesOf(rows, shown)))
  return (
    <ol
      ref={list}
      className="wish-list"
      aria-busy={isBusy}
      aria-label={texts.listLabel}
      style={{ height: virtual.getTotalSize() }}
    >
      {items.map(({ index, key, start }) => {
        const row = rows[index]!
        return (
          <li
            key={key}
            aria-setsize={loadMore === null ? rows.length : -1}
            aria-posinset={index + 1}
            style={{ transform: `translateY(${start - virtual.options.scrollMargin}px)` }}
          >
            {index === dividerAt && index > 0 && <p className="row-divider">{texts.someWords}</p>}
            <WishRow
              row={row}
              trend={trends.get(row.wishId ?? '')}
              isOpen={row.wishId !== null && row.wishId === openId}
              open={open}
            />
          </li>
        )
      })}
    </ol>
  )
}

/** Whole pages of ids, so that a little scrolling asks for nothing new. */
const perPage = 50
function pagesOf(rows: readonly Row[], shown: readonly string[]): string[] {
  const visible = new Set(shown)
  const ids = rows.flatMap(({ wishId }) => wishId ?? [])
  return Array.from({ length: Math.ceil(ids.length / perPage) }, (_, page) =>
    ids.slice(page * perPage, (page + 1) * perPage),
  )
    .filter((page) => page.some((id) => visible.has(id)))
    .flat()
}

/** The same array as long as it has the same values. */
function useStable(values: string[]): string[] {
  const before = useRef(values)
  if (before.current.join() !== values.join()) before.current = values
  return before.current
}
