import { lazy, Suspense, useState } from 'react'
import { useMayManage } from '../api/session-store.ts'
import type { ShareTarget } from '../api/types.ts'
import { shareTexts as texts } from '../texts/shares.ts'

const ShareDialog = lazy(() => import('./share-dialog.tsx'))

/** Makes a page of a wish, a topic or a list that everybody with its address reads. */
export function ShareButton({ target }: { target: ShareTarget }) {
  const [isOpen, setOpen] = useState(false)
  if (!useMayManage()) return null
  return (
    <>
      <button type="button" onClick={() => setOpen(true)}>
        {texts.share}
      </button>
      {isOpen && (
        <Suspense fallback={null}>
          <ShareDialog target={target} close={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  )
}
