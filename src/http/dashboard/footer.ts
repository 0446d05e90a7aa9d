import type { RemovalContact } from '../../runtime/removal-contact.ts'

const escapes: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }
const escapeHtml = (text: string) => text.replace(/[&<>"']/g, (sign) => escapes[sign]!)

/**
 * Adds the contact for authors to the end of a page. It is part of the document: it is shown with and without a session,
 * without a call, and without the script of the page.
 */
export function withFooter(html: string, contact: RemovalContact | undefined): string {
  if (contact === undefined) return html
  const link = `<a href="${escapeHtml(contact.href)}">${escapeHtml(contact.text)}</a>`
  const footer = `<footer class="removal-contact">To have a post removed or get a copy: ${link}</footer>`
  const end = html.lastIndexOf('</body>')
  return end === -1 ? html + footer : `${html.slice(0, end)}${footer}\n${html.slice(end)}`
}
