import { createHash } from 'node:crypto'
import { domainToASCII } from 'node:url'

export interface MailAddress {
  /** `local@domain`, with the domain in lower case ASCII form. */
  address: string
  domain: string
}

// RFC 5321, section 4.5.3.1: the maximum octets of a local part and a path.
const maxLocal = 64
const maxAddress = 254

/** RFC 5322 atoms between dots: no quotes, comments or blanks, and only ASCII, since not every server has SMTPUTF8. */
const localPart = /^[a-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[a-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/i
/** Letters, digits and hyphens of any script. The later conversion would silently drop other characters. */
const anyDomain = /^[\p{L}\p{M}\p{N}.\-\u3002]+$/u
const label = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/

/** Parses one mail address without a name; null for anything else, including IP addresses and dotless domains. */
export function parseMailAddress(text: string): MailAddress | null {
  const at = text.lastIndexOf('@')
  const [local, given] = [text.slice(0, at), text.slice(at + 1)]
  if (at < 1 || local.length > maxLocal || !localPart.test(local) || !anyDomain.test(given)) return null
  const domain = domainToASCII(given).toLowerCase()
  const labels = domain.split('.')
  if (labels.length < 2 || !labels.every((one) => label.test(one)) || /^\d+$/.test(labels.at(-1) ?? '')) return null
  const address = `${local}@${domain}`
  return address.length > maxAddress ? null : { address, domain }
}

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

/** Identifies an address, ignoring case, as all relevant providers do. */
export const addressHash = ({ address }: MailAddress): string => sha256(`mail ${address.toLowerCase()}`)

/** Two names of one domain. */
const gmail = new Set(['gmail.com', 'googlemail.com'])

/** Identifies a mailbox for limits, without `+anything` and Gmail's dots: missing an alias would allow flooding. */
export function mailboxHash({ address, domain }: MailAddress): string {
  const local = address.slice(0, address.lastIndexOf('@')).toLowerCase()
  const plain = local.replace(/(?<=.)\+.*$/, '')
  return sha256(`mailbox ${gmail.has(domain) ? `${plain.replaceAll('.', '')}@gmail.com` : `${plain}@${domain}`}`)
}

/** What to show of an address: enough for its owner, too little for others. */
export function addressHint({ address, domain }: MailAddress): string {
  const shownDomain = domain.length > 100 ? `…${domain.slice(-100)}` : domain
  return `${address.slice(0, 1)}…@${shownDomain}`
}
