import { lazy, useEffect, useState } from 'react'
import { useMayChange } from '../api/session-store.ts'
import type { ListView } from '../api/types.ts'
import { addressOf, type View } from '../search/view.ts'
import { Aside } from '../shell/aside.tsx'
import { Link } from '../shell/router.tsx'
import { tell } from '../shell/toast.tsx'
import { viewTexts as texts } from '../texts/views.ts'
import { isStanding } from './saved-list.ts'
import { contentOf, type KeptView, useSavedViews, useViewChanges } from './saved-views.ts'

const ViewDialog = lazy(() => import('./view-dialog.tsx'))

interface SavedTabsProps {
  view: View
  /** The saved view that was opened last; it may have been changed since, without being saved. */
  opened: KeptView | null
  setOpened: (opened: KeptView | null) => void
}

/** The saved views, beside those that everybody has. The open one can be renamed and deleted. */
export function SavedTabs({ view, opened, setOpened }: SavedTabsProps) {
  const views = useSavedViews()
  const mayChange = useMayChange()
  const [isChanging, setChanging] = useState(false)
  const address = addressOf(view)
  const current = views.find((one) => one.address === address) ?? null
  useEffect(() => {
    if (current !== null || isStanding(address)) setOpened(current)
  }, [current, address, setOpened])
  return (
    <>
      {views.map((one) => (
        <span key={one.viewId} className="saved-view">
          <Link href={one.address} title={one.name} dir="auto" aria-current={one === current ? 'page' : undefined}>
            {one.name}
          </Link>
          {one === current && mayChange && (
            <button
              type="button"
              className="quiet"
              aria-label={texts.change(one.name)}
              onClick={() => setChanging(true)}
            >
              <span aria-hidden="true">⋯</span>
            </button>
          )}
        </span>
      ))}
      {isChanging && opened && (
        <Aside>
          <ViewDialog
            view={view}
            kept={opened}
            close={() => setChanging(false)}
            onDeleted={() => {
              setChanging(false)
              setOpened(null)
            }}
          />
        </Aside>
      )}
    </>
  )
}

/** Saves the list, as it is set now, as what was opened. */
export function SaveChanges({ view, opened }: { view: View; opened: KeptView }) {
  const { change } = useViewChanges()
  const mayChange = useMayChange()
  const content = contentOf(view, opened.periodDays)
  if (!mayChange || content === null) return null
  const { viewId, name, view: list, periodDays } = opened
  const save = () =>
    change(viewId, content)
      .then(() => {
        const before = { view: list as ListView, periodDays }
        tell({ text: texts.saved(name), undo: () => change(viewId, before) })
      })
      .catch(() => tell({ text: texts.notSaved, undo: null }))
  return (
    <button type="button" className="small" title={texts.saveChangesTo(name)} onClick={() => void save()}>
      {texts.saveChanges}
    </button>
  )
}
