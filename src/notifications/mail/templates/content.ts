import type { MessageSection } from '../../../accounts/events/message.ts'
import { cleanText, ownUrl } from '../foreign-text.ts'

/** What a mail says, before it is HTML or text. Every text but `opening` and the footer may hold foreign text. */
export interface MailContent {
  title: string
  /** Paragraphs of our own without any foreign text, before the others: addresses in them stay whole. */
  opening?: readonly string[]
  paragraphs: readonly string[]
  sections: readonly MessageSection[]
  link: { label: string; url: string } | null
  footer: {
    /** Sentences of our own without any foreign text. */
    sentences: readonly string[]
    link: { label: string; url: string }
  }
  /** The base of every link. */
  publicUrl: string
}

export const maxTitle = 200
export const maxParagraph = 1_000
const maxParagraphs = 12
const maxSections = 12
/** Gmail cuts off a mail after 102 kB of HTML, and with it the link to unsubscribe. */
const maxItems = 40
/** So many of them are shown with the beginning of their text. */
const maxExcerpts = 20

/** The content as both parts show it: bounded, and with links of our own alone. */
export function boundedContent(content: MailContent): MailContent {
  const { publicUrl, link } = content
  let left = maxItems
  const sections = content.sections.slice(0, maxSections).map(({ items, more, ...section }) => {
    const shown = items.slice(0, left).map((item, index) => ({
      ...item,
      url: ownUrl(item.url, publicUrl),
      excerpt: index < left - (maxItems - maxExcerpts) ? (item.excerpt ?? '') : '',
    }))
    left -= shown.length
    return { ...section, items: shown, more: more + items.length - shown.length }
  })
  const url = ownUrl(link?.url ?? null, publicUrl)
  return {
    ...content,
    paragraphs: content.paragraphs.slice(0, maxParagraphs),
    sections: sections.filter(({ items, more }) => items.length > 0 || more > 0),
    link: link === null || url === null ? null : { label: link.label, url },
  }
}

/** One line; what would end a header is gone, and an encoded word of RFC 2047 stays a text: programs would decode it, also to line ends. */
export const subjectOf = ({ title }: MailContent): string =>
  cleanText(cleanText(title, 120).replaceAll('=?', '= ?'), 120) || 'Wishwell'

/** How many are not shown; a link leads to them if there is one. */
export const moreText = (more: number): string => `and ${more} more`
