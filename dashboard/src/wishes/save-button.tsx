import { lazy, useState } from 'react'
import { useMayChange } from '../api/session-store.ts'
import { listOf, type View } from '../search/view.ts'
import { Aside } from '../shell/aside.tsx'
import { listActionTexts as texts } from '../texts/list-actions.ts'

const ViewDialog = lazy(() => import('./view-dialog.tsx'))

interface SaveButtonProps {
  view: View
  /** Whether the list is a view already. */
  isKept: boolean
  /** Whether it was opened as a view, and changed since. */
  hasChanged: boolean
}

/** Saves the list, as it is set now, under a name. */
export function SaveButton({ view, isKept, hasChanged }: SaveButtonProps) {
  const [isOpen, setOpen] = useState(false)
  const mayChange = useMayChange()
  if (!mayChange || listOf(view) === null) return null
  return (
    <>
      <button
        type="button"
        className="small"
        disabled={isKept}
        title={isKept ? texts.isKept : undefined}
        onClick={() => setOpen(true)}
      >
        {hasChanged ? texts.saveAsNew : texts.save}
      </button>
      {isOpen && (
        <Aside>
          <ViewDialog view={view} kept={null} close={() => setOpen(false)} />
        </Aside>
      )}
    </>
  )
}
