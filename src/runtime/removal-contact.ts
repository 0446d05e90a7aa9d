/** The contact of which the author of a post can request its removal, or a copy. */
export interface RemovalContact {
  /** An e-mail address or a web address: ASCII, without parentheses, white space and control characters, so that it fits in a header. */
  text: string
  /** The same as the address of a link. */
  href: string
}

/** Of the HTML standard's "valid e-mail address". */
const email = /^[\w.!#$%&'*+/=?^`{|}~-]+@[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?(?:\.[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?)+$/i
const maxLength = 254

/** Reads an e-mail address, or an http or https address without a name and a password; null for anything else. */
export function parseRemovalContact(text: string): RemovalContact | null {
  if (text.length > maxLength) return null
  if (email.test(text)) {
    const at = text.lastIndexOf('@')
    return { text, href: `mailto:${encodeURIComponent(text.slice(0, at))}${text.slice(at)}` }
  }
  const url = URL.parse(text)
  if (url === null || !/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '') return null
  // `href` is ASCII; parentheses and backslashes mean something in the comment of a User-Agent (RFC 9110, 5.6.5).
  const href = url.href.replace(/[()\\]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`)
  return { text: href, href }
}
