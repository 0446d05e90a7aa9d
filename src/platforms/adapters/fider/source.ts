import type { SourceKind } from '../../definition.ts'
import { siteAddress } from '../site-address.ts'

/** Pages of a board that are not part of its address. */
const pages = /\/(?:posts|roadmap|tags|admin|signin|api|feed)(?:\/.*)?$/

/** A board, by the address of its page or of a post. */
export const fiderSources: SourceKind = {
  form: 'the address of a Fider board',
  example: 'https://feedback.example.com',
  normalise(text) {
    const url = siteAddress(text)
    if (url === null) return null
    const path = url.pathname
      .replace(/\/{2,}/g, '/')
      .replace(pages, '')
      .replace(/\/+$/, '')
    return `${url.origin}${path}`
  },
}

/** Host and path of a board. Names it in messages and budgets, and makes its ids unique. */
export const boardName = (address: string): string => {
  const { host, pathname } = new URL(address)
  return `${host}${pathname.replace(/\/+$/, '')}`
}
