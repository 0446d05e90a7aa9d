import { useEffect } from 'react'
import { searchAddress } from './addresses.ts'
import { navigate } from './router.tsx'

export const searchBoxId = 'search-box'

const isTyping = (target: EventTarget | null) =>
  target instanceof HTMLElement && (target.isContentEditable || /^(input|textarea|select)$/i.test(target.tagName))

/** `/` focuses the search box, except during typing. Operators have no search. */
export function useSearchShortcut(hasSearch: boolean): void {
  useEffect(() => {
    if (!hasSearch) return
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return
      if (document.querySelector('dialog[open]')) return
      event.preventDefault()
      const box = document.getElementById(searchBoxId)
      if (box instanceof HTMLInputElement) {
        box.focus()
        box.select()
        return
      }
      navigate(searchAddress)
      // The box exists after the next render.
      requestAnimationFrame(() => document.getElementById(searchBoxId)?.focus())
    }
    document.addEventListener('keydown', onKeyDown)
    return () => document.removeEventListener('keydown', onKeyDown)
  }, [hasSearch])
}
