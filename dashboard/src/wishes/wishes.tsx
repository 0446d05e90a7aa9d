import { type ReactNode, useCallback, useMemo, useState } from 'react'
import { SearchBox } from '../search/search-box.tsx'
import { addressOf, filterCount, parseView, type View } from '../search/view.ts'
import { Aside } from '../shell/aside.tsx'
import { later } from '../shell/later.ts'
import { Page } from '../shell/page.tsx'
import { Link, navigate, useAddress } from '../shell/router.tsx'
import { useMatches } from '../shell/use-matches.ts'
import { searchTexts } from '../texts/search.ts'
import { wishTexts as texts } from '../texts/wishes.ts'
import { SaveButton } from './save-button.tsx'
import { isStanding, useSavedList } from './saved-list.ts'
import type { KeptView } from './saved-views.ts'
import { ViewActions } from './view-actions.tsx'
import { Rows } from './view-rows.tsx'
import { standingViews } from './views.ts'

// Not in the first script: it is there by the time that somebody who points at the list has chosen.
const loadPanel = () => import('./panel.tsx')
const WishPanel = later(async () => (await loadPanel()).WishPanel)
const prepare = () => void loadPanel().catch(() => {})
// What an account has saved is read after the rows, and loaded where there is any.
const SavedTabs = later(async () => (await import('./view-controls.tsx')).SavedTabs)
const SaveChanges = later(async () => (await import('./view-controls.tsx')).SaveChanges)

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
  const [hasRows, setHasRows] = useState(false)
  const [opened, setOpened] = useState<KeptView | null>(null)
  const onRows = useCallback(() => setHasRows(true), [])
  const { data: saved = [] } = useSavedList(hasRows)
  const address = addressOf(view)
  const isOpened = opened?.address === address
  const changed = opened === null || isOpened || isStanding(address) ? null : opened
  return (
    <Page title={isOpened ? opened.name : titleOf(view)} actions={<ViewActions view={view} hasRows={hasRows} />}>
      <Views view={view}>
        <Aside instead={null}>{saved.length > 0 && <SavedTabs {...{ view, opened, setOpened }} />}</Aside>
      </Views>
      <SearchBox query={view.query} />
      <div
        className="wishes-page"
        data-open={(hasRoom && openId !== null) || undefined}
        onPointerEnter={prepare}
        onFocusCapture={prepare}
      >
        <Rows
          view={view}
          show={show}
          openId={hasRoom ? openId : null}
          openBeside={hasRoom ? openBeside : null}
          onRows={onRows}
          save={
            <span className="save-view">
              <Aside instead={null}>{changed && <SaveChanges view={view} opened={changed} />}</Aside>
              <SaveButton view={view} isKept={isOpened || isStanding(address)} hasChanged={changed !== null} />
            </span>
          }
        />
        {hasRoom && openId !== null && (
          <Aside meanwhile={<section className="wish-panel" aria-label={texts.panelLabel} aria-busy="true" />}>
            <WishPanel key={openId} wishId={openId} close={() => openBeside(null)} />
          </Aside>
        )}
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

/** The views that everybody has, and after them those of the account. */
const Views = ({ view, children }: { view: View; children: ReactNode }) => (
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
    {children}
  </nav>
)
