import { escapeHtml } from '../../http/html.ts'
import { withoutUnseen } from '../../runtime/text/unseen.ts'

const blanks = /[\s\p{Cc}\p{Zl}\p{Zp}]+/gu
/** More marks on one letter than any script needs, which would grow over the lines above. */
const markTowers = /(\p{M}{3})\p{M}+/gu

/** Text from anywhere as one line of plain text: no controls, no marks of direction, at most so many characters. */
export function cleanText(text: string, maxLength: number): string {
  // Cut first, since the rest may be long; with room for what is removed.
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
 * HAIR SPACE: white space of a pixel or two. Nothing that finds addresses in a text goes on after white space. Characters of width zero are letters
 * to some of them, and browsers drop them from a host name, so the link would still lead there (docs/decisions/058-channels-and-mail.md).
 */
const gap = '\u200a'
/** The dot of a number like 3.5, which is no part of an address. */
const decimal = String.raw`(?<=(?<![\p{L}\p{N}.@-])\d+)\.\d+(?![\p{L}\p{N}.@-])`
/** The dots and at signs that browsers take for those of an address, before something that goes on. */
const joints = new RegExp(
  String.raw`(?<=\S)(?!${decimal})[.@\u2024\u3002\uff0e\uff20\uff61\ufe52\ufe6b](?=[\p{L}\p{N}\p{M}\p{S}\p{Cf}\p{Co}\p{Cn}[_%-])`,
  'gu',
)

/**
 * Breaks what a mail program would make a link of: hosts, mail addresses, schemes. So a text of a stranger in our mail, such as `Sign in at
 * evil.example`, leads nowhere. It looks almost as before.
 */
export const withoutLinks = (text: string): string =>
  text
    .replace(joints, `$&${gap}`)
    .replace(/[:/\\\uff0f\uff1a](?=[/\\\uff0f])/gu, `$&${gap}`)
    .replace(/\b(mailto|tel|sms|xmpp|skype|callto|data|javascript|magnet|bitcoin|news|urn)(?=:\S)/giu, `$&${gap}`)

/** A foreign text for the text part. */
export const plainForeign = (text: string, maxLength: number): string => withoutLinks(cleanText(text, maxLength))

/** A foreign text for HTML. */
export const htmlForeign = (text: string, maxLength: number): string => escapeHtml(plainForeign(text, maxLength))

/** An address of ours, or null: only what begins with the base of links is a link. */
export function ownUrl(url: string | null, publicUrl: string): string | null {
  if (url === null || !url.startsWith(`${publicUrl}/`)) return null
  const parsed = URL.parse(url)
  // The form that browsers open: nothing of it ends an attribute, a line or the angle brackets of a header.
  return parsed !== null && parsed.origin === URL.parse(publicUrl)?.origin && parsed.href.length <= 2_000
    ? parsed.href.replace(/['"<>()\s\\]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`)
    : null
}
