import PostalMime, { type Email } from 'postal-mime'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'
import { makeCertificate } from '../../../test/certificate.ts'
import { parseMailAddress } from './address.ts'
import type { MailConfig, SmtpServer } from './settings.ts'

/** What the server does with a command: a refusal such as `550 5.1.1 No such user`, silence, a cut, or nothing unusual. */
export type SmtpFault = string | 'hang' | 'cut' | null

export interface ReceivedMail {
  from: string
  to: string[]
  raw: Buffer
  isEncrypted: boolean
  user: string | undefined
}

export interface TestMailServer {
  host: string
  port: number
  /** Every mail that was received completely, also those that were refused or cut afterwards. */
  mails: ReceivedMail[]
  /** What is done at each stage from now on. `connect` is the greeting, `body` the reply to the whole mail. */
  faults: Partial<
    Record<'connect' | 'auth' | 'sender' | 'recipient' | 'body', SmtpFault | ((address: string) => SmtpFault)>
  >
  /** How many connections were opened. */
  connections(): number
  /** The certificate that verifies the server's; undefined for one that nobody verifies. */
  ca: string | undefined
  /** As `SMTP_URL`. */
  url: string
  close(): Promise<void>
}

export interface TestMailServerOptions {
  /** TLS from the start. */
  isSecure?: boolean
  /** Whether STARTTLS is offered; by default it is. */
  offersStartTls?: boolean
  /** Whether a certificate for `localhost` is made, which `ca` verifies; else the server has one of nobody. */
  isVerifiable?: boolean
  credentials?: { user: string; password: string }
}

function refusal(reply: string): Error {
  const [, code, words] = /^(\d{3}) (.*)$/.exec(reply) ?? []
  return Object.assign(new Error(words ?? reply), { responseCode: Number(code ?? 451) })
}

type Stage = keyof TestMailServer['faults']

/** Starts a real SMTP server on a free port of this machine. */
export async function startMailServer(options: TestMailServerOptions = {}): Promise<TestMailServer> {
  const { isSecure = false, offersStartTls = true, isVerifiable = false, credentials } = options
  const certificate = isVerifiable ? makeCertificate() : undefined
  const mails: ReceivedMail[] = []
  let opened = 0

  const cut = () => {
    for (const connection of server.connections) connection._socket?.destroy()
  }
  /** Answers a command by the fault of its stage. */
  const answer = (stage: Stage, address: string, done: (error?: Error | null) => void) => {
    const chosen = started.faults[stage]
    const fault = typeof chosen === 'function' ? chosen(address) : chosen
    if (fault === 'cut') cut()
    else if (fault === 'hang') return
    else done(fault === undefined || fault === null ? null : refusal(fault))
  }
  const serverOptions: SMTPServerOptions = {
    secure: isSecure,
    ...(certificate ?? {}),
    authOptional: credentials === undefined,
    disabledCommands: offersStartTls ? [] : ['STARTTLS'],
    allowInsecureAuth: !offersStartTls,
    hideENHANCEDSTATUSCODES: true,
    closeTimeout: 100,
    onConnect: (_session, done) => {
      opened += 1
      answer('connect', '', done)
    },
    onAuth: ({ username, password }, _session, done) => {
      const isKnown = username === credentials?.user && password === credentials?.password
      answer('auth', username ?? '', (error) => {
        if (error) done(error)
        else if (!isKnown) done(refusal('535 5.7.8 Wrong name or password'))
        else done(null, { user: username })
      })
    },
    onMailFrom: ({ address }, _session, done) => answer('sender', address, done),
    onRcptTo: ({ address }, _session, done) => answer('recipient', address, done),
    onData: (stream, session, done) => {
      const parts: Buffer[] = []
      stream.on('data', (part: Buffer) => parts.push(part))
      stream.on('end', () => {
        const { mailFrom, rcptTo } = session.envelope
        const to = rcptTo.map(({ address }) => address)
        mails.push({
          from: mailFrom === false ? '' : (mailFrom?.address ?? ''),
          to,
          raw: Buffer.concat(parts),
          isEncrypted: session.secure,
          user: session.user as string | undefined,
        })
        answer('body', to[0] ?? '', done)
      })
    },
    logger: false,
  }
  const server = new SMTPServer(serverOptions)
  // A client that leaves during the handshake.
  server.on('error', () => {})
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()))
  const { port } = server.server.address() as { port: number }
  const host = isVerifiable ? 'localhost' : '127.0.0.1'
  const started: TestMailServer = {
    host,
    port,
    mails,
    faults: {},
    connections: () => opened,
    ca: certificate?.cert,
    url: `${isSecure ? 'smtps' : 'smtp'}://${credentials ? `${credentials.user}:${credentials.password}@` : ''}${host}:${port}`,
    close: () =>
      new Promise((resolve) => {
        cut()
        server.close(() => resolve())
      }),
  }
  return started
}

/** The settings for a server of the tests, as if it were not on this machine where `encryption` says so. */
export function mailConfigFor({ host, port }: TestMailServer, server: Partial<SmtpServer> = {}): MailConfig {
  const from = parseMailAddress('news@wishwell.example')
  if (from === null) throw new Error('the sender is no address')
  const usual = { encryption: 'local', verifiesCertificate: false, user: null, password: null } as const
  return { server: { host, port, ...usual, ...server }, from: { ...from, name: 'Wishwell' } }
}

/** What a mail program reads, by a parser that has no code of the sender. */
export const readMail = ({ raw }: Pick<ReceivedMail, 'raw'>): Promise<Email> => PostalMime.parse(raw)

/** The link of a confirmation. */
export async function confirmationLink(mail: ReceivedMail): Promise<string> {
  const { text = '' } = await readMail(mail)
  const link = /https?:\/\/\S+\/mail\/confirm\/\S+/.exec(text)?.[0]
  if (link === undefined) throw new Error('the mail is no confirmation')
  return link
}
