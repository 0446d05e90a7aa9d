import { useQueryClient } from '@tanstack/react-query'
import { useMayChange, useOwner } from '../api/session-store.ts'
import type { WishMark, WishTrend } from '../api/types.ts'
import type { Mark } from '../search/view.ts'
import { focusWhenThere } from '../shell/focus.ts'
import { tell } from '../shell/toast.tsx'
import { wishTexts as texts } from '../texts/wishes.ts'
import { useChanges } from './changes.ts'
import { useListKeys } from './keys.ts'
import type { Row } from './rows.ts'
import { trendsKey } from './use-rows.ts'

export interface Wished {
  wishId: string
  title: string
}

interface RowKeysInput {
  rows: readonly (Pick<Row, 'wishId' | 'title'> & { mark?: WishMark })[]
  openId: string | null
  /** Null where there is no room beside the list. */
  openBeside: ((wishId: string | null) => void) | null
  goTo: (wish: Wished) => void
}

const rowOf = (wishId: string | null | undefined) =>
  wishId ? document.querySelector<HTMLElement>(`[data-row="${CSS.escape(wishId)}"]`) : null

/** Moves through the rows, and marks the one that has the focus or is open. */
export function useRowKeys({ rows, openId, openBeside, goTo }: RowKeysInput): void {
  const owner = useOwner()
  const queries = useQueryClient()
  const { mark } = useChanges()
  const mayChange = useMayChange()
  const focused = () => (document.activeElement as HTMLElement | null)?.dataset.row ?? openId
  const present = (): Wished | null => {
    const row = rows.find(({ wishId }) => wishId !== null && wishId === focused())
    return row ? { wishId: row.wishId!, title: row.title } : null
  }
  const markOf = (wishId: string) =>
    queries
      .getQueriesData<{ wishes: WishTrend[] }>({ queryKey: trendsKey(owner) })
      .flatMap(([, trends]) => trends?.wishes ?? [])
      .find((trend) => trend.wishId === wishId)?.mark ??
    rows.find((row) => row.wishId === wishId)?.mark ??
    null
  const toggle = (name: Mark | 'starred') => {
    const wish = present()
    if (wish === null || !mayChange) return
    const before = markOf(wish.wishId)
    const change =
      name === 'starred' ? { starred: !(before?.starred ?? false) } : { mark: before?.mark === name ? null : name }
    mark(wish, before, change).catch(() => tell({ text: texts.notSaved, undo: null }))
  }
  const move = (step: 1 | -1) => {
    const wishes = rows.filter(({ wishId }) => wishId !== null)
    const at = wishes.findIndex(({ wishId }) => wishId === focused())
    const next = wishes[at < 0 ? 0 : at + step]
    if (next === undefined) return
    const row = rowOf(next.wishId)
    row?.focus({ preventScroll: true })
    row?.closest('li')?.scrollIntoView({ block: 'nearest' })
    if (openId !== null) openBeside?.(next.wishId)
  }
  useListKeys({
    next: () => move(1),
    previous: () => move(-1),
    planned: () => toggle('planned'),
    done: () => toggle('done'),
    ignored: () => toggle('ignored'),
    star: () => toggle('starred'),
    same: () => {
      const wish = present()
      if (wish === null) return
      goTo(wish)
      // The field is there when the wish has been read.
      focusWhenThere('merge-search')
    },
    close: () => {
      if (openId === null) return
      openBeside?.(null)
      rowOf(openId)?.focus()
    },
  })
}
