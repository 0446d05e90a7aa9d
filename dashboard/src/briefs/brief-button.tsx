import { lazy, useState } from 'react'
import { useMayChange } from '../api/session-store.ts'
import type { BriefTarget } from '../api/types.ts'
import { Aside } from '../shell/aside.tsx'
import { listActionTexts as texts } from '../texts/list-actions.ts'

const BriefDialog = lazy(() => import('./brief-dialog.tsx'))

/** Makes a brief of what is shown. @param target null where that is everything, of which there is none */
export function BriefButton({ target }: { target: BriefTarget | null }) {
  const [isOpen, setOpen] = useState(false)
  if (!useMayChange() || target === null) return null
  return (
    <>
      <button type="button" onClick={() => setOpen(true)}>
        {texts.makeBrief}
      </button>
      {isOpen && (
        <Aside>
          <BriefDialog target={target} close={() => setOpen(false)} />
        </Aside>
      )}
    </>
  )
}
