import { lazy, useEffect, useState } from 'react'
import { wishesAddress } from './addresses.ts'
import { Aside } from './aside.tsx'
import { focusWhenThere } from './focus.ts'
import { navigate } from './router.tsx'
import { isTyping, searchBoxId } from './typing.ts'

const KeysDialog = lazy(() => import('./keys-dialog.tsx'))
const Palette = lazy(() => import('./palette.tsx'))

/** Focuses the search box; where there is none, that of the list. */
function focusSearch(): void {
  const box = document.getElementById(searchBoxId)
  if (box instanceof HTMLInputElement) {
    box.focus()
    box.select()
    return
  }
  navigate(wishesAddress)
  focusWhenThere(searchBoxId)
}

/** The keys that work everywhere: `/` searches, `?` explains the keys, Ctrl-K goes anywhere. None of the single ones while something is typed. */
export function Shortcuts() {
  const [open, setOpen] = useState<'keys' | 'palette' | null>(null)
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      const { key, ctrlKey, metaKey, altKey, target } = event
      if (document.querySelector('[role=dialog]') || event.defaultPrevented || altKey) return
      const isPalette = key.toLowerCase() === 'k' && (ctrlKey || metaKey)
      const isSingle = !ctrlKey && !metaKey && !isTyping(target)
      if (isPalette) setOpen('palette')
      else if (isSingle && key === '?') setOpen('keys')
      else if (isSingle && key === '/') focusSearch()
      else return
      event.preventDefault()
    }
    document.addEventListener('keydown', onKeyDown)
    return () => document.removeEventListener('keydown', onKeyDown)
  }, [])
  return (
    <Aside>
      {open === 'keys' && <KeysDialog close={() => setOpen(null)} />}
      {open === 'palette' && <Palette close={() => setOpen(null)} />}
    </Aside>
  )
}
