import { useSyncExternalStore } from 'react'

/** Whether a media query holds now. */
export function useMatches(query: string): boolean {
  return useSyncExternalStore(
    (tell) => {
      const media = window.matchMedia(query)
      media.addEventListener('change', tell)
      return () => media.removeEventListener('change', tell)
    },
    () => window.matchMedia(query).matches,
  )
}
