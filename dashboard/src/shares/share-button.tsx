import { lazy, useState } from 'react'
import { useMayManage } from '../api/session-store.ts'
import type { ShareTarget } from '../api/types.ts'
import { Aside } from '../shell/aside.tsx'
import { listActionTexts as texts } from '../texts/list-actions.ts'
import { useShares } from './shares.ts'

const SharedLabel = lazy(() => import('./shared-label.tsx'))
const ShareDialog = lazy(() => import('./share-dialog.tsx'))

interface ShareButtonProps {
  target: ShareTarget
  /** Whether what is shared is there: only then it is asked whether there is a page of it. */
  isReady?: boolean
}

/** Makes a page of a wish, a topic or a list that everybody with its address reads, and says whether there is one. */
export function ShareButton({ target, isReady = true }: ShareButtonProps) {
  const [isOpen, setOpen] = useState(false)
  const mayManage = useMayManage()
  const { data: shares = [] } = useShares(isReady && mayManage)
  if (!mayManage) return null
  return (
    <>
      <button type="button" onClick={() => setOpen(true)}>
        {shares.length > 0 ? (
          <Aside meanwhile={texts.share} instead={texts.share}>
            <SharedLabel target={target} />
          </Aside>
        ) : (
          texts.share
        )}
      </button>
      {isOpen && (
        <Aside>
          <ShareDialog target={target} close={() => setOpen(false)} />
        </Aside>
      )}
    </>
  )
}
