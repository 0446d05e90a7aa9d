import { createHash } from 'node:crypto'
import MailComposer from 'nodemailer/lib/mail-composer'
import type { MailAddress } from './address.ts'
import { type FailureVerdict, judgeFailure } from './failures.ts'
import type { MailConfig } from './settings.ts'
import { type MailContent, subjectOf } from './templates/content.ts'
import { renderHtml } from './templates/html.ts'
import { renderText } from './templates/text.ts'
import { createSmtpTransport, type SmtpFailure, type SmtpTransport } from './transport.ts'

export interface OutgoingMail {
  to: MailAddress
  content: MailContent
  /** The same for each repeat, and for no other mail: a repeat has the same `Message-ID`. */
  identity: string
  /** Of the header `List-Unsubscribe`. */
  unsubscribeUrl: string
  now: Date
  signal?: AbortSignal | undefined
}

export type MailResult = { sent: true } | ({ sent: false; failure: SmtpFailure } & FailureVerdict)

export interface Mailer {
  /** Sends a mail once. Never throws for what the server does. */
  send(mail: OutgoingMail): Promise<MailResult>
}

export interface MailerOptions {
  config: MailConfig
  transport?: SmtpTransport
}

/** @returns `<hash@domain of the sender>`. */
export const messageIdOf = (identity: string, { from }: Pick<MailConfig, 'from'>): string =>
  `<${createHash('sha256').update(identity).digest('hex').slice(0, 40)}@${from.domain}>`

/**
 * The headers of RFC 2369 and RFC 8058. Programs unsubscribe with one click only by https; by http, where nobody but a developer is, people
 * still follow the link.
 */
function unsubscribeHeaders(url: string): Record<string, string> {
  return {
    'List-Unsubscribe': `<${url}>`,
    ...(url.startsWith('https://') ? { 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' } : {}),
  }
}

/** The mail as it is sent. */
export function composeMail({ from }: MailConfig, mail: Omit<OutgoingMail, 'signal'>): Promise<Buffer> {
  const { to, content, identity, unsubscribeUrl, now } = mail
  const composer = new MailComposer({
    from: { name: from.name, address: from.address },
    to: { name: '', address: to.address },
    subject: subjectOf(content),
    text: renderText(content),
    html: renderHtml(content),
    date: now,
    messageId: messageIdOf(identity, { from }),
    headers: {
      ...unsubscribeHeaders(unsubscribeUrl),
      // RFC 3834: no automatic answers.
      'Auto-Submitted': 'auto-generated',
      'X-Auto-Response-Suppress': 'All',
    },
    xMailer: false,
    disableFileAccess: true,
    disableUrlAccess: true,
  })
  return composer.compile().build()
}

/** Sends mails by the operator's server. */
export function createMailer({ config, transport = createSmtpTransport(config) }: MailerOptions): Mailer {
  return {
    async send({ signal, ...mail }) {
      const raw = await composeMail(config, mail)
      const failure = await transport.send({ from: config.from.address, to: mail.to.address, raw, signal })
      return failure === null ? { sent: true } : { sent: false, failure, ...judgeFailure(failure) }
    },
  }
}
