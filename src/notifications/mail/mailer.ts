import { createHash } from 'node:crypto'
import MailComposer from 'nodemailer/lib/mail-composer'
import type { MailAddress } from './address.ts'
import type { MailConfig } from './settings.ts'
import { type MailContent, subjectOf } from './templates/content.ts'
import { renderHtml, renderText } from './templates/html.ts'
import { createSmtpTransport, type SmtpFailure, type SmtpTransport } from './transport.ts'

interface FailureVerdict {
  /** `bounced`: the mailbox or domain does not exist or takes no mail. `retry`: anything else. */
  kind: 'bounced' | 'retry'
  error: string
}

/**
 * Enhanced status codes (RFC 3463, 7372, 7293, 7505) that mean the recipient gets no mail, ever. Others of class 5 are
 * retried until the channel has failed for days, since the operator or time can fix them: 5.1.7 and 5.1.8 concern the
 * sender, 5.7.x policy and reputation, 5.5.x and 5.6.x protocol and content, 5.3.x and 5.4.x servers and routes, 5.2.2
 * a full mailbox, 5.2.3 a large mail.
 */
const aboutRecipient: ReadonlySet<string> = new Set([
  '5.1.0', // other address status
  '5.1.1', // no such mailbox
  '5.1.2', // no such domain
  '5.1.3', // bad syntax of the mailbox
  '5.1.4', // ambiguous
  '5.1.6', // moved, no forwarding address
  '5.1.10', // null MX: the domain takes no mail
  '5.2.0', // other mailbox status
  '5.2.1', // mailbox disabled
  '5.7.13', // user account disabled
  '5.7.17', // the mailbox has another owner
  '5.7.18', // the domain has another owner
])

/**
 * Replies to RCPT without an enhanced code that reject the mailbox (RFC 5321, 4.2.3; RFC 7504). Not 552, which counts
 * as 452 (4.5.3.1.10), nor 554, which can be any refusal.
 */
const recipientReplies: ReadonlySet<number> = new Set([550, 551, 553, 556])

function isBounce({ stage, code, enhanced }: SmtpFailure): boolean {
  // Before RCPT, failures do not concern the recipient.
  if (code === null || code < 500 || !['recipient', 'data', 'body'].includes(stage)) return false
  if (enhanced !== null) return aboutRecipient.has(enhanced)
  return stage === 'recipient' && recipientReplies.has(code)
}

const whatFailed: Record<Exclude<SmtpFailure['cause'], 'reply'>, string> = {
  timeout: 'The mail server did not answer in time.',
  tls: 'The mail server offered no valid encryption.',
  name: 'The host name of the mail server is not known.',
  connection: 'The connection to the mail server failed.',
  aborted: 'The mail server took too long.',
}

const refused: Record<SmtpFailure['stage'], string> = {
  connect: 'The mail server refused the connection',
  login: 'The mail server refused the login',
  sender: 'The mail server refused the sender',
  recipient: 'The mail server refused the address',
  data: 'The mail server refused the mail',
  body: 'The mail server refused the mail',
}

/** Judges why a mail was not sent. */
export function judgeFailure(failure: SmtpFailure): FailureVerdict {
  const { stage, code, enhanced, cause } = failure
  const reply = [code, enhanced].filter((part) => part !== null).join(' ')
  const error = cause === 'reply' ? `${refused[stage]} (${reply}).` : whatFailed[cause]
  return { kind: isBounce(failure) ? 'bounced' : 'retry', error }
}

export interface OutgoingMail {
  to: MailAddress
  content: MailContent
  /** Unique per mail and equal in its repeats, which get the same `Message-ID`. */
  identity: string
  /** For the header `List-Unsubscribe`. */
  unsubscribeUrl: string
  now: Date
  signal?: AbortSignal | undefined
}

export type MailResult = { sent: true } | ({ sent: false; failure: SmtpFailure } & FailureVerdict)

export interface Mailer {
  /** Sends a mail once. Never throws because of the server. */
  send(mail: OutgoingMail): Promise<MailResult>
}

export interface MailerOptions {
  config: MailConfig
  transport?: SmtpTransport
}

/** @returns `<hash@sender's domain>`. */
export const messageIdOf = (identity: string, { from }: Pick<MailConfig, 'from'>): string =>
  `<${createHash('sha256').update(identity).digest('hex').slice(0, 40)}@${from.domain}>`

/** RFC 2369 and RFC 8058. One-click needs https; with http (development), the link still works. */
function unsubscribeHeaders(url: string): Record<string, string> {
  return {
    'List-Unsubscribe': `<${url}>`,
    ...(url.startsWith('https://') ? { 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' } : {}),
  }
}

/** Builds the mail as sent. */
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
      // RFC 3834: prevents automatic replies.
      'Auto-Submitted': 'auto-generated',
      'X-Auto-Response-Suppress': 'All',
    },
    xMailer: false,
    disableFileAccess: true,
    disableUrlAccess: true,
  })
  return composer.compile().build()
}

/** Creates a mailer for the operator's server. */
export function createMailer({ config, transport = createSmtpTransport(config) }: MailerOptions): Mailer {
  return {
    async send({ signal, ...mail }) {
      const raw = await composeMail(config, mail)
      const failure = await transport.send({ from: config.from.address, to: mail.to.address, raw, signal })
      return failure === null ? { sent: true } : { sent: false, failure, ...judgeFailure(failure) }
    },
  }
}
