import { useEffect, useRef } from 'react'
import { isTyping } from './typing.ts'

/** Chooses an answer by its number while nothing is typed. @param choose is given its position, which may be that of none */
export function useNumberKeys(choose: (position: number) => void): void {
  const latest = useRef(choose)
  latest.current = choose
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      const { key, repeat, ctrlKey, metaKey, altKey, target } = event
      if (!/^[1-9]$/.test(key) || event.defaultPrevented || repeat || ctrlKey || metaKey || altKey || isTyping(target))
        return
      if (document.querySelector('[role=dialog], [role=menu]')) return
      event.preventDefault()
      latest.current(Number(key) - 1)
    }
    document.addEventListener('keydown', onKeyDown)
    return () => document.removeEventListener('keydown', onKeyDown)
  }, [])
}
