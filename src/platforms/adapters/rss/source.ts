import type { SourceKind } from '../../definition.ts'

const addressLimit = 300

/** A feed, by its own address. */
export const rssSources: SourceKind = {
  form: 'the address of an RSS, Atom or JSON feed',
  example: 'https://example.com/feed.xml',
  normalise(text) {
    const trimmed = text.trim().replace(/^feed:(?:\/\/)?(?=https?:)/i, '')
    const address = /^[a-z][a-z0-9+.-]*:\/\//i.test(trimmed) ? trimmed : `https://${trimmed}`
    if (!/^https?:/i.test(address) || address.length > addressLimit || !URL.canParse(address)) return null
    const url = new URL(address)
    // With or without the dot of a fully qualified name it is one host.
    url.hostname = url.hostname.replace(/\.$/, '')
    url.hash = ''
    const hasHost = url.hostname.includes('.') || url.hostname === 'localhost'
    if (!hasHost || url.username !== '' || url.password !== '') return null
    return url.href.length > addressLimit ? null : url.href
  },
}

/** Host and path of a feed: its name in messages, which have no query string. */
export const feedName = (address: string): string => {
  const { host, pathname } = new URL(address)
  return `${host}${pathname.replace(/\/$/, '')}`
}
