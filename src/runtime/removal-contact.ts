/** Where a post's author requests its removal or a copy. */
export interface RemovalContact {
  /** An e-mail or web address that fits in a header: ASCII without parentheses, space or controls. */
  text: string
  /** The same as a link address. */
  href: string
}

/** The HTML standard's "valid e-mail address". */
const email = /^[\w.!#$%&'*+/=?^`{|}~-]+@[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?(?:\.[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?)+$/i
const maxLength = 254

/** Parses an e-mail address, or http(s) address without credentials; null for other text. */
export function parseRemovalContact(text: string): RemovalContact | null {
  if (text.length > maxLength) return null
  if (email.test(text)) {
    const at = text.lastIndexOf('@')
    return { text, href: `mailto:${encodeURIComponent(text.slice(0, at))}${text.slice(at)}` }
  }
  const url = URL.parse(text)
  if (url === null || !/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '') return null
  // `href` is ASCII; parentheses and backslashes are special in User-Agent comments (RFC 9110, 5.6.5).
  const href = url.href.replace(/[()\\]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`)
  return { text: href, href }
}
