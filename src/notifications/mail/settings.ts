import { isIP } from 'node:net'
import { type Static, Type } from 'typebox'
import type { Complain } from '../../runtime/config-error.ts'
import { type MailAddress, parseMailAddress } from './address.ts'
import { cleanText } from './foreign-text.ts'

/** The environment variables of mail, part of the schema in `config.ts`, which alone reads them. */
export const mailVariables = {
  SMTP_URL: Type.Optional(
    Type.String({
      'x-kind': 'secret',
      description:
        'the mail server that sends mails, `smtp://name:password@host:587` (STARTTLS is required, except on this machine) or `smtps://…` (TLS from the start); `?tls=off` at the end sends unencrypted; needs `MAIL_FROM` and `PUBLIC_URL`',
    }),
  ),
  MAIL_FROM: Type.Optional(
    Type.String({ description: 'the sender of mails: an address, or `Name <address>`; needs `SMTP_URL`' }),
  ),
}

const schema = Type.Object({ ...mailVariables, PUBLIC_URL: Type.Optional(Type.String()) })

export type MailEnvironment = Static<typeof schema>

/** `starttls`: required. `local`: on this machine, so STARTTLS if offered, with any certificate. */
export type MailEncryption = 'tls' | 'starttls' | 'local' | 'off'

export interface SmtpServer {
  host: string
  port: number
  encryption: MailEncryption
  verifiesCertificate: boolean
  user: string | null
  password: string | null
}

export interface MailConfig {
  server: SmtpServer
  from: MailAddress & { name: string }
}

/** The validated variables; `mail` is null if no mails are sent. */
export interface MailSettings {
  mail: MailConfig | null
}

const serverRule =
  'must be smtp://host, smtp://name:password@host:587 or smtps://name:password@host:465, with ?tls=off or nothing after it; special characters of the name and the password percent-encoded.'
const fromRule = 'must be a mail address, or Name <address>.'

const isLoopback = (host: string) =>
  host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'))

function decoded(text: string): string | null {
  try {
    const plain = decodeURIComponent(text)
    return /\p{Cc}/u.test(plain) ? null : plain
  } catch {
    return null
  }
}

/** Parses `SMTP_URL`; null if invalid. */
export function parseSmtpUrl(text: string): SmtpServer | null {
  const url = URL.parse(text)
  if (url === null || !/^smtps?:$/.test(url.protocol) || url.hash !== '' || !/^\/?$/.test(url.pathname)) return null
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1').toLowerCase()
  // URL does not validate hosts of schemes unknown to browsers.
  if (isIP(host) === 0 && !/^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$/.test(host)) return null
  const [user, password] = [decoded(url.username), decoded(url.password)]
  if (user === null || password === null || (user === '') !== (password === '')) return null
  if (url.port === '0') return null
  const isOff = url.search === '?tls=off'
  const isTls = url.protocol === 'smtps:'
  if ((url.search !== '' && !isOff) || (isOff && isTls)) return null
  return {
    host,
    port: url.port === '' ? (isTls ? 465 : 587) : Number(url.port),
    encryption: isTls ? 'tls' : isOff ? 'off' : isLoopback(host) ? 'local' : 'starttls',
    verifiesCertificate: !isLoopback(host),
    user: user === '' ? null : user,
    password: password === '' ? null : password,
  }
}

/** Parses `MAIL_FROM`; null if invalid. */
export function parseMailFrom(text: string): MailConfig['from'] | null {
  const [, name, inBrackets] = /^([^<>]*)<([^<>]+)>$/.exec(text) ?? []
  const address = parseMailAddress((inBrackets ?? text).trim())
  if (address === null) return null
  const plainName = (name ?? '').trim().replace(/^"(.*)"$/, '$1')
  return cleanText(plainName, 80) === plainName ? { ...address, name: plainName || 'Wishwell' } : null
}

/** Validates the variables of mail. @param complain called with the first error */
export function readMailConfig(environment: MailEnvironment, complain: Complain<MailEnvironment>): MailSettings {
  const { SMTP_URL, MAIL_FROM, PUBLIC_URL } = environment
  if (SMTP_URL === undefined) {
    return MAIL_FROM === undefined ? { mail: null } : complain('MAIL_FROM', 'needs SMTP_URL.')
  }
  const server = parseSmtpUrl(SMTP_URL)
  if (server === null) return complain('SMTP_URL', serverRule)
  if (MAIL_FROM === undefined) return complain('MAIL_FROM', 'is required with SMTP_URL: the sender of mails.')
  const from = parseMailFrom(MAIL_FROM)
  if (from === null) return complain('MAIL_FROM', fromRule)
  // Mails are read elsewhere and later, where a listening address or a worker's is useless.
  if (PUBLIC_URL === undefined) return complain('SMTP_URL', 'needs PUBLIC_URL: mails have links.')
  return { mail: { server, from } }
}
