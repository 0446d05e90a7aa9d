import type { MessageSection } from '../../../accounts/events/message.ts'
import { dark } from '../../../http/appearance.ts'
import { cleanText, ownUrl } from '../foreign-text.ts'

/** A confirmation, without any text of the requesting account. */
export function confirmationContent({
  publicUrl,
  confirmUrl,
  refuseUrl,
}: {
  publicUrl: string
  confirmUrl: string
  refuseUrl: string
}): MailContent {
  return {
    title: 'Confirm your address',
    opening: [
      `Somebody, probably you, asked the Wishwell at ${hostOf(publicUrl)} to send news to this address.`,
      'It sends nothing more before you confirm. The link works for 7 days.',
    ],
    paragraphs: [],
    sections: [],
    link: { label: 'Confirm this address', url: confirmUrl },
    footer: {
      sentences: ['If you did not ask for this, you need not do anything.'],
      link: { label: 'Do not ask me again', url: refuseUrl },
    },
    publicUrl,
  }
}

/** The footer of news: why it came, and how to stop it. */
export const newsFooter = (publicUrl: string, url: string): MailContent['footer'] => ({
  sentences: [`You get this mail because you confirmed this address at ${hostOf(publicUrl)}.`],
  link: { label: 'Unsubscribe', url },
})

const hostOf = (publicUrl: string): string => URL.parse(publicUrl)?.host ?? publicUrl

const rules = (scope: string) =>
  [
    `${scope}.ground{background-color:${dark.ground}!important}`,
    `${scope}.card{background-color:${dark.raised}!important;border-color:${dark.line}!important}`,
    `${scope}.line{border-color:${dark.line}!important}`,
    `${scope}.ink{color:${dark.ink}!important}`,
    `${scope}.muted{color:${dark.muted}!important}`,
    `${scope}.accent{background-color:${dark.accent}!important}`,
    `${scope}.on-accent{color:${dark.onAccent}!important}`,
  ].join('')

/** Dark mode, by media query or Outlook's attributes; smaller margins on phones. */
export const darkStyle = `:root{color-scheme:light dark;supported-color-schemes:light dark}@media (prefers-color-scheme:dark){${rules('')}}${rules('[data-ogsc] ')}@media (max-width:480px){.card{padding:20px 18px!important}}`

/** The content of a mail before it is rendered. Only `opening` and the footer are free of foreign text. */
export interface MailContent {
  title: string
  /** Our own paragraphs before the others; without foreign text, so their addresses stay whole. */
  opening?: readonly string[]
  paragraphs: readonly string[]
  sections: readonly MessageSection[]
  link: { label: string; url: string } | null
  footer: {
    /** Our own sentences, without foreign text. */
    sentences: readonly string[]
    link: { label: string; url: string }
  }
  publicUrl: string
}

export const maxTitle = 200
export const maxParagraph = 1_000
const maxParagraphs = 12
const maxSections = 12
/** Gmail cuts mails at 102 kB of HTML, and with it the link to unsubscribe. */
const maxItems = 40
const maxExcerpts = 20

/** The bounded content of both parts, with only our own links. */
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

/** One line, safe as a header. Breaks encoded words (RFC 2047), which programs would decode, even to line ends. */
export const subjectOf = ({ title }: MailContent): string =>
  cleanText(cleanText(title, 120).replaceAll('=?', '= ?'), 120) || 'Wishwell'

/** The number of omitted items; linked if there is a link. */
export const moreText = (more: number): string => `and ${more} more`
