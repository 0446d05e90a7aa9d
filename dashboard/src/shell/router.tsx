import { type ComponentProps, type MouseEvent, useSyncExternalStore } from 'react'

/** The state of an entry of the history, beside its address. */
export interface EntryState {
  /** It was created during typing, so the next letters replace it. */
  typing?: boolean
}

const listeners = new Set<() => void>()
const tell = () => {
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  window.addEventListener('popstate', tell)
  return () => {
    listeners.delete(listener)
    if (listeners.size === 0) window.removeEventListener('popstate', tell)
  }
}

/** The address of the page: path and query. */
export const presentAddress = (): string => location.pathname + location.search
export const useAddress = (): URL => new URL(useSyncExternalStore(subscribe, presentAddress), location.origin)
/** Whether the address was created during typing. */
export const useIsTyping = (): boolean => useSyncExternalStore(subscribe, () => entryState().typing === true)
export const entryState = (): EntryState => (history.state as EntryState | null) ?? {}

export function navigate(
  address: string,
  { replace = false, state = {} }: { replace?: boolean; state?: EntryState } = {},
) {
  if (replace) history.replaceState(state, '', address)
  else history.pushState(state, '', address)
  tell()
}

/** Whether a click opens the address in this tab, and not in another tab, a window or as a download. */
const isPlainClick = (event: MouseEvent) =>
  event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey && !event.defaultPrevented

type LinkProps = ComponentProps<'a'> & {
  href: string
  /** The address is of the same screen: it is not scrolled to its top. */
  keepsPlace?: boolean
}

/** A link inside the page. */
export function Link({ href, onClick, keepsPlace = false, ...rest }: LinkProps) {
  return (
    <a
      {...rest}
      href={href}
      onClick={(event) => {
        onClick?.(event)
        if (!isPlainClick(event)) return
        event.preventDefault()
        navigate(href)
        if (!keepsPlace) window.scrollTo(0, 0)
      }}
    />
  )
}

/** The parts of a path, decoded; a part that cannot be decoded is unchanged. */
export function partsOf(path: string): string[] {
  return path
    .split('/')
    .filter((part) => part !== '')
    .map((part) => {
      try {
        return decodeURIComponent(part)
      } catch {
        return part
      }
    })
}
