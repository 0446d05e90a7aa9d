import type { MessageItem, MessageSection } from '../../../accounts/events/message.ts'
import { font, light } from '../../../http/appearance.ts'
import { escapeHtml } from '../../../http/html.ts'
import { htmlForeign, plainForeign } from '../foreign-text.ts'
import { boundedContent, darkStyle, type MailContent, maxParagraph, maxTitle, moreText, subjectOf } from './content.ts'

// Tables and inline styles: Outlook renders with Word, others remove <style>. Loads nothing external.

/** The length of a rule under a heading, in any script. */
const rule = (sign: string, text: string) => sign.repeat(Math.min(60, Math.max(3, [...text].length)))

/** Renders the text part with everything the HTML part says. Not wrapped: programs wrap to their width. */
export function renderText(content: MailContent): string {
  const { title, opening = [], paragraphs, sections, link, footer, publicUrl } = boundedContent(content)
  const heading = plainForeign(title, maxTitle)
  const lines = [heading, rule('=', heading), '']
  for (const paragraph of opening) lines.push(paragraph, '')
  for (const paragraph of paragraphs) lines.push(plainForeign(paragraph, maxParagraph), '')
  for (const section of sections) {
    const name = plainForeign(section.heading, maxTitle)
    lines.push(name, rule('-', name), '')
    if (section.note !== undefined) lines.push(plainForeign(section.note, maxParagraph), '')
    for (const { title: itemTitle, detail, excerpt = '', url } of section.items) {
      lines.push(`* ${plainForeign(itemTitle, maxTitle)}`)
      if (detail !== '') lines.push(`  ${plainForeign(detail, maxTitle)}`)
      if (excerpt !== '') lines.push(`  ${plainForeign(excerpt, maxTitle)}`)
      if (url !== null) lines.push(`  ${url}`)
      lines.push('')
    }
    if (section.more > 0) lines.push(moreText(section.more), '')
  }
  if (link !== null) lines.push(`${plainForeign(link.label, maxTitle)}:`, link.url, '')
  lines.push('-- ', ...footer.sentences, `${footer.link.label}: ${footer.link.url}`, `Wishwell: ${publicUrl}/`)
  return `${lines.join('\n')}\n`
}

const rightToLeft =
  /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}\p{Script=Adlam}]/u

/** A text's direction by its first letter, like `dir="auto"`, which not every mail program knows. */
function directionOf(text: string): 'ltr' | 'rtl' {
  const first = /\p{L}/u.exec(text)?.[0]
  return first !== undefined && rightToLeft.test(first) ? 'rtl' : 'ltr'
}

const alignOf = (direction: 'ltr' | 'rtl') => (direction === 'rtl' ? 'right' : 'left')

const wraps = 'overflow-wrap:anywhere;word-break:break-word;'

function renderItem({ title, url, detail, excerpt = '' }: MessageItem): string {
  const direction = directionOf(title)
  const text = htmlForeign(title, maxTitle) || '–'
  const style = `color:${light.ink};font-weight:600;text-decoration:none;`
  const shown =
    url === null
      ? `<span class="ink" style="${style}">${text}</span>`
      : `<a class="ink" href="${escapeHtml(url)}" style="${style}">${text}</a>`
  // Our detail is left-to-right even below a right-to-left title.
  const below =
    detail === ''
      ? ''
      : `<br><span dir="ltr" class="muted" style="display:inline-block;padding-top:2px;color:${light.muted};font-size:14px;line-height:20px;unicode-bidi:isolate;">${htmlForeign(detail, maxTitle)}</span>`
  const textDirection = directionOf(excerpt)
  const beginning =
    excerpt === ''
      ? ''
      : `<div dir="${textDirection}" class="ink" align="${alignOf(textDirection)}" style="padding-top:2px;color:${light.ink};font-size:14px;line-height:20px;">${htmlForeign(excerpt, maxTitle)}</div>`
  return `<tr><td class="line" dir="${direction}" align="${alignOf(direction)}" style="padding:12px 0;border-top:1px solid ${light.line};${font}font-size:16px;line-height:23px;${wraps}">${shown}${below}${beginning}</td></tr>`
}

const renderNote = (note: string): string =>
  `<div class="muted" style="padding-top:4px;color:${light.muted};${font}font-size:14px;line-height:20px;${wraps}">${htmlForeign(note, maxParagraph)}</div>`

function renderSection({ heading, note = '', items, more }: MessageSection): string {
  const rest =
    more > 0
      ? `<tr><td class="line muted" style="padding:12px 0;border-top:1px solid ${light.line};color:${light.muted};${font}font-size:14px;line-height:20px;">${moreText(more)}</td></tr>`
      : ''
  return `<table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0" style="width:100%;table-layout:fixed;margin-top:20px;"><tr><td style="padding:0 0 8px;"><h2 class="muted" style="margin:0;color:${light.muted};${font}font-size:13px;line-height:18px;font-weight:700;letter-spacing:0.04em;text-transform:uppercase;${wraps}">${htmlForeign(heading, maxTitle)}</h2>${note === '' ? '' : renderNote(note)}</td></tr>${items.map(renderItem).join('')}${rest}</table>`
}

/** @param html the text, escaped */
function renderParagraph(text: string, html: string): string {
  const direction = directionOf(text)
  return `<p dir="${direction}" class="ink" style="margin:12px 0 0;color:${light.ink};text-align:${alignOf(direction)};${font}font-size:16px;line-height:24px;${wraps}">${html}</p>`
}

const renderButton = ({ label, url }: { label: string; url: string }): string =>
  `<table role="presentation" cellpadding="0" cellspacing="0" border="0" style="margin-top:24px;"><tr><td class="accent" align="center" bgcolor="${light.accent}" style="border-radius:8px;background-color:${light.accent};"><a class="on-accent" href="${escapeHtml(url)}" style="display:inline-block;padding:12px 22px;color:${light.onAccent};${font}font-size:16px;line-height:20px;font-weight:600;text-decoration:none;border-radius:8px;">${htmlForeign(label, maxTitle)}</a></td></tr></table>`

/** What mail lists show after the subject. */
function renderPreview({ opening = [], paragraphs, sections }: MailContent): string {
  const words = [
    ...[...opening, ...paragraphs].slice(0, 1),
    ...sections.flatMap(({ items }) => items.slice(0, 2).map(({ title }) => title)),
  ]
  return `<div style="display:none;max-height:0;max-width:0;overflow:hidden;opacity:0;mso-hide:all;">${htmlForeign(words.join(' · '), 140)}</div>`
}

const renderHead = (subject: string): string =>
  `<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark"><meta name="supported-color-schemes" content="light dark"><meta name="format-detection" content="telephone=no, date=no, address=no, email=no, url=no"><meta name="x-apple-disable-message-reformatting"><title>${htmlForeign(subject, maxTitle)}</title><style>${darkStyle}</style></head>`

const renderBrand = (publicUrl: string): string =>
  `<table role="presentation" cellpadding="0" cellspacing="0" border="0"><tr><td valign="middle" width="12" style="width:12px;"><div class="accent" style="width:12px;height:12px;font-size:1px;line-height:12px;background-color:${light.accent};border-radius:12px 12px 12px 3px;">&nbsp;</div></td><td style="padding-left:9px;"><a class="ink" href="${escapeHtml(publicUrl)}/" style="color:${light.ink};${font}font-size:16px;line-height:20px;font-weight:700;text-decoration:none;">Wishwell</a></td></tr></table>`

function renderFooter({ footer: { sentences, link } }: MailContent): string {
  const style = `margin:0 0 6px;color:${light.muted};${font}font-size:13px;line-height:19px;${wraps}`
  const lines = sentences.map((sentence) => `<p class="muted" style="${style}">${escapeHtml(sentence)}</p>`)
  return `${lines.join('')}<p class="muted" style="${style}"><a class="muted" href="${escapeHtml(link.url)}" style="color:${light.muted};text-decoration:underline;">${escapeHtml(link.label)}</a></p>`
}

/** Renders the HTML part: narrow, light and dark, without images. */
export function renderHtml(unbounded: MailContent): string {
  const content = boundedContent(unbounded)
  const { title, opening = [], paragraphs, sections, link, publicUrl } = content
  const direction = directionOf(title)
  const heading = `<h1 dir="${direction}" class="ink" style="margin:0;color:${light.ink};text-align:${alignOf(direction)};${font}font-size:22px;line-height:29px;font-weight:700;${wraps}">${htmlForeign(title, maxTitle)}</h1>`
  const body = [
    heading,
    ...opening.map((text) => renderParagraph(text, escapeHtml(text))),
    ...paragraphs.map((text) => renderParagraph(text, htmlForeign(text, maxParagraph))),
    ...sections.map(renderSection),
    link === null ? '' : renderButton(link),
  ]
  return `<!doctype html>
<html lang="en" dir="ltr">${renderHead(subjectOf(content))}
<body class="ground" style="margin:0;padding:0;background-color:${light.ground};-webkit-text-size-adjust:100%;">
${renderPreview(content)}
<table class="ground" role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0" bgcolor="${light.ground}" style="width:100%;background-color:${light.ground};"><tr><td align="center" style="padding:28px 12px 40px;">
<!--[if mso]><table role="presentation" width="560" cellpadding="0" cellspacing="0" border="0"><tr><td><![endif]-->
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0" style="width:100%;max-width:560px;table-layout:fixed;text-align:left;">
<tr><td style="padding:0 4px 16px;">${renderBrand(publicUrl)}</td></tr>
<tr><td class="card" bgcolor="${light.raised}" style="padding:28px;background-color:${light.raised};border:1px solid ${light.line};border-radius:12px;">
${body.join('\n')}
</td></tr>
<tr><td style="padding:20px 4px 0;">${renderFooter(content)}</td></tr>
</table>
<!--[if mso]></td></tr></table><![endif]-->
</td></tr></table>
</body></html>
`
}
