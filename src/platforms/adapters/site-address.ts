/** Maximum length of a source's address, in UTF-16 units. */
export const addressLimit = 300

/** The scheme is optional. @returns null for other or overlong text, or one with credentials */
export function siteAddress(text: string): URL | null {
  const trimmed = text.trim()
  const address = /^[a-z][a-z0-9+.-]*:\/\//i.test(trimmed) ? trimmed : `https://${trimmed}`
  if (!/^https?:/i.test(address) || address.length > addressLimit || !URL.canParse(address)) return null
  const url = new URL(address)
  // A trailing dot (fully qualified) means the same host.
  url.hostname = url.hostname.replace(/\.$/, '')
  const hasHost = url.hostname.includes('.') || url.hostname === 'localhost'
  return hasHost && url.username === '' && url.password === '' ? url : null
}
