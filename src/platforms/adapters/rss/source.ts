import type { SourceKind } from '../../definition.ts'
import { addressLimit, siteAddress } from '../site-address.ts'

/** A feed, by its address. */
export const rssSources: SourceKind = {
  form: 'the address of an RSS, Atom or JSON feed',
  example: 'https://example.com/feed.xml',
  normalise(text) {
    const url = siteAddress(text.trim().replace(/^feed:(?:\/\/)?(?=https?:)/i, ''))
    if (url === null) return null
    url.hash = ''
    return url.href.length > addressLimit ? null : url.href
  },
}

/** Host and path of a feed: its name in messages, without the query string. */
export const feedName = (address: string): string => {
  const { host, pathname } = new URL(address)
  return `${host}${pathname.replace(/\/$/, '')}`
}
