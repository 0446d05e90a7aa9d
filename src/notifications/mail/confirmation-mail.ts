import type { MailContent } from './templates/content.ts'

/** A confirmation: without any word of the account that asked for it. */
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

/** The end of a mail with news: why it came, and how it ends. */
export const newsFooter = (publicUrl: string, url: string): MailContent['footer'] => ({
  sentences: [`You get this mail because you confirmed this address at ${hostOf(publicUrl)}.`],
  link: { label: 'Unsubscribe', url },
})

const hostOf = (publicUrl: string): string => URL.parse(publicUrl)?.host ?? publicUrl
