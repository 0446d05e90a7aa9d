import { useCallback, useEffect, useRef, useState } from 'react'
import { entryState, navigate } from '../shell/router.tsx'
import { addressOf, parseView, withQuery } from './view.ts'

/** The view of the present address, not the one of the last render. */
const presentView = () => parseView(new URLSearchParams(location.search))

/**
 * The text of the search box. It becomes the query of the address with each key, with the filters that the address has then; whenever
 * the address changes otherwise (Back, a link), the box follows.
 */
export function useDraft(query: string) {
  const [draft, setDraft] = useState(query)
  /** The query of the address that the box last saw or set. */
  const known = useRef(query)

  useEffect(() => {
    // Of an address that was left again: more was typed since.
    if (known.current === query || presentView().query !== query) return
    known.current = query
    setDraft(query)
  }, [query])

  const commit = useCallback((text: string, typing: boolean) => {
    const next = text.trim()
    const view = presentView()
    if (next === view.query) {
      // The typing has ended: the next letters begin another search.
      if (!typing && entryState().typing) navigate(addressOf(view), { replace: true })
      return
    }
    known.current = parseView(new URLSearchParams({ q: next })).query
    navigate(addressOf(withQuery(view, next)), { replace: typing && entryState().typing === true, state: { typing } })
  }, [])
  const type = useCallback(
    (text: string) => {
      setDraft(text)
      commit(text, true)
    },
    [commit],
  )
  const submit = useCallback(
    (text: string) => {
      setDraft(text)
      commit(text, false)
    },
    [commit],
  )
  return { draft, type, submit }
}
