import { useEffect, useRef } from 'react'
import { wishAddress } from '../shell/addresses.ts'
import { Loading } from '../shell/page.tsx'
import { Problem } from '../shell/problem.tsx'
import { Link } from '../shell/router.tsx'
import { wishPageTexts as texts } from '../texts/later/wish.ts'
import { useWish } from './use-wish.ts'
import { WishBody } from './wish-body.tsx'

/** The chosen wish, beside the list. The focus stays in the list: J and K go through it. */
export function WishPanel({ wishId, close }: { wishId: string; close: () => void }) {
  const query = useWish(wishId)
  const panel = useRef<HTMLElement>(null)
  const wish = query.data?.pages[0]
  useEffect(() => {
    if (panel.current) panel.current.scrollTop = 0
  }, [])
  return (
    <section ref={panel} className="wish-panel" aria-label={texts.panelLabel}>
      <div className="panel-head">
        <Link href={wishAddress(wishId)} className="quiet">
          {texts.openPage}
        </Link>
        <button type="button" className="quiet" aria-label={texts.closePanel} onClick={close}>
          ×
        </button>
      </div>
      {wish ? (
        <>
          <h2 id="panel-heading" tabIndex={-1} dir="auto">
            {wish.title}
          </h2>
          <WishBody wish={wish} query={query} />
        </>
      ) : query.error === null ? (
        <Loading />
      ) : (
        <Problem error={query.error} retry={query.refetch} />
      )}
    </section>
  )
}
