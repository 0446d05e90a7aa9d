import { escapeHtml } from '../../http/html.ts'
import { withoutUnseen } from '../../runtime/text/unseen.ts'

const blanks = /[\s\p{Cc}\p{Zl}\p{Zp}]+/gu
/** More combining marks than any script needs, which would overflow into the lines above. */
const markTowers = /(\p{M}{3})\p{M}+/gu

/** Reduces text to one plain line: no controls, no direction marks, at most `maxLength` characters. */
export function cleanText(text: string, maxLength: number): string {
  // Cut first, because the rest may be long; leaves room for removals.
  const head = text.slice(0, maxLength * 4).toWellFormed()
  const line = withoutUnseen(head.normalize('NFC')).replace(blanks, ' ').replace(markTowers, '$1').trim()
  const characters = [...line]
  if (characters.length <= maxLength) return text.length > head.length ? `${line}…` : line
  return `${characters
    .slice(0, maxLength - 1)
    .join('')
    .trimEnd()}…`
}

/**
 * HAIR SPACE, a pixel or two wide: link detection stops at white space. Zero-width characters count as letters for
 * some, and browsers drop them from hosts, so the link would still work (decision 058).
 */
const gap = '\u200a'
/** The dot of a number like 3.5, which is part of no address. */
const decimal = String.raw`(?<=(?<![\p{L}\p{N}.@-])\d+)\.\d+(?![\p{L}\p{N}.@-])`
/** Dots and at signs, in all forms that browsers accept in addresses, before further text. */
const joints = new RegExp(
  String.raw`(?<=\S)(?!${decimal})[.@\u2024\u3002\uff0e\uff20\uff61\ufe52\ufe6b](?=[\p{L}\p{N}\p{M}\p{S}\p{Cf}\p{Co}\p{Cn}[_%-])`,
  'gu',
)

/** Almost invisibly breaks what mail programs would link, as in `Sign in at evil.example`. */
export const withoutLinks = (text: string): string =>
  text
    .replace(joints, `$&${gap}`)
    .replace(/[:/\\\uff0f\uff1a](?=[/\\\uff0f])/gu, `$&${gap}`)
    .replace(/\b(mailto|tel|sms|xmpp|skype|callto|data|javascript|magnet|bitcoin|news|urn)(?=:\S)/giu, `$&${gap}`)

/** Foreign text for the text part. */
export const plainForeign = (text: string, maxLength: number): string => withoutLinks(cleanText(text, maxLength))

/** Foreign text for HTML. */
export const htmlForeign = (text: string, maxLength: number): string => escapeHtml(plainForeign(text, maxLength))

/** A URL if it is below our base of links, else null. */
export function ownUrl(url: string | null, publicUrl: string): string | null {
  if (url === null || !url.startsWith(`${publicUrl}/`)) return null
  const parsed = URL.parse(url)
  // The serialized form of browsers: nothing in it can end an attribute, a line or a header's angle brackets.
  return parsed !== null && parsed.origin === URL.parse(publicUrl)?.origin && parsed.href.length <= 2_000
    ? parsed.href.replace(/['"<>()\s\\]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`)
    : null
}
