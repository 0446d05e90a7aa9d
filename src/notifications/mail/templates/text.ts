import { plainForeign } from '../foreign-text.ts'
import { boundedContent, type MailContent, maxParagraph, maxTitle, moreText } from './content.ts'

/** The length of a rule under a heading, whatever the heading's script. */
const rule = (sign: string, text: string) => sign.repeat(Math.min(60, Math.max(3, [...text].length)))

/** The text part: it says all that the HTML part says. Lines are not wrapped, as each program wraps to its own width. */
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
