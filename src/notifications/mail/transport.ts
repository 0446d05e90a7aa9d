import { Readable } from 'node:stream'
import type { ConnectionOptions } from 'node:tls'
import SMTPConnection from 'nodemailer/lib/smtp-connection'
import type { SmtpServer } from './settings.ts'

/** The stage that sending reached, which tells whose fault a failure is. */
export type SmtpStage = 'connect' | 'login' | 'sender' | 'recipient' | 'data' | 'body'

export interface SmtpFailure {
  stage: SmtpStage
  /** The server's reply code; null if it failed without one. */
  code: number | null
  /** RFC 3463 code, such as `5.1.1`; null if the reply has none. */
  enhanced: string | null
  cause: 'reply' | 'timeout' | 'tls' | 'name' | 'connection' | 'aborted'
  /** Whether the server may have accepted the mail anyway. */
  isUncertain: boolean
}

export interface RawMail {
  from: string
  to: string
  raw: Buffer
  signal?: AbortSignal | undefined
}

export interface SmtpTimeouts {
  connectMs: number
  /** Without a byte from the server. */
  idleMs: number
  totalMs: number
}

export const usualTimeouts: SmtpTimeouts = { connectMs: 10_000, idleMs: 30_000, totalMs: 60_000 }

export interface SmtpTransport {
  /** Sends one mail to one recipient. @returns null if the server accepted it. Never throws. */
  send(mail: RawMail): Promise<SmtpFailure | null>
}

export interface SmtpTransportOptions {
  server: SmtpServer
  timeouts?: SmtpTimeouts
  /** Extra certificate authorities, for tests only: Node itself reads `NODE_EXTRA_CA_CERTS`. */
  ca?: ConnectionOptions['ca']
}

interface SmtpError extends Error {
  code?: string
  responseCode?: number
  response?: string
  command?: string
}

const stageOfCommand: Readonly<Record<string, SmtpStage>> = {
  'MAIL FROM': 'sender',
  'RCPT TO': 'recipient',
}

function causeOf({ code, responseCode }: SmtpError): SmtpFailure['cause'] {
  if (responseCode !== undefined) return 'reply'
  if (code === 'ETIMEDOUT') return 'timeout'
  if (code === 'ETLS' || code === 'EREQUIRETLS') return 'tls'
  return code === 'EDNS' ? 'name' : 'connection'
}

/** Classifies a failure without its text, which may contain the address and anything else. */
function failureOf(error: SmtpError, stage: SmtpStage, isAborted: boolean): SmtpFailure {
  const enhanced = /^\d{3}[ -]([245]\.\d{1,3}\.\d{1,3})\b/.exec(error.response ?? '')?.[1] ?? null
  const cause = isAborted ? 'aborted' : causeOf(error)
  return {
    stage: stage === 'data' ? (stageOfCommand[error.command ?? ''] ?? 'data') : stage,
    code: error.responseCode ?? null,
    enhanced,
    cause,
    // After the body's first byte, only a reply is certain.
    isUncertain: stage === 'body' && cause !== 'reply',
  }
}

function connectionOptions({ server, timeouts = usualTimeouts, ca }: SmtpTransportOptions) {
  const { host, port, encryption, verifiesCertificate } = server
  return {
    host,
    port,
    secure: encryption === 'tls',
    requireTLS: encryption === 'starttls',
    ignoreTLS: encryption === 'off',
    opportunisticTLS: encryption === 'local',
    tls: { rejectUnauthorized: verifiesCertificate, minVersion: 'TLSv1.2' as const, ...(ca ? { ca } : {}) },
    connectionTimeout: timeouts.connectMs,
    greetingTimeout: timeouts.connectMs,
    dnsTimeout: timeouts.connectMs,
    socketTimeout: timeouts.idleMs,
    socketCloseTimeout: 1_000,
    // The operator's own server, anywhere.
    allowInternalNetworkInterfaces: true,
    logger: false,
  }
}

/** Uses a connection per mail: idle timeouts never cost a mail, and a hanging server holds only one. */
export function createSmtpTransport(options: SmtpTransportOptions): SmtpTransport {
  const { server, timeouts = usualTimeouts } = options
  return {
    async send({ from, to, raw, signal }) {
      const limit = AbortSignal.timeout(timeouts.totalMs)
      const stopping = signal === undefined ? limit : AbortSignal.any([signal, limit])
      if (stopping.aborted) {
        return { stage: 'connect', code: null, enhanced: null, cause: 'aborted', isUncertain: false }
      }
      const connection = new SMTPConnection(connectionOptions(options))
      let stage: SmtpStage = 'connect'
      const broken = Promise.withResolvers<never>()
      const onAbort = () => broken.reject(new Error('aborted'))
      stopping.addEventListener('abort', onAbort)
      connection.on('error', broken.reject)
      connection.on('end', () => broken.reject(Object.assign(new Error('ended'), { code: 'ECONNECTION' })))
      broken.promise.catch(() => {})
      const step = <T>(start: (done: (error?: Error | null, result?: T) => void) => void) =>
        Promise.race([
          broken.promise,
          new Promise<void>((resolve, reject) => start((error) => (error ? reject(error) : resolve()))),
        ])
      // Read only once the server accepts the mail.
      const body = new Readable({
        read() {
          stage = 'body'
          this.push(raw)
          this.push(null)
        },
      })
      try {
        await step((done) => connection.connect(done))
        stage = 'login'
        const { user, password: pass } = server
        if (user !== null) await step((done) => connection.login({ user, pass: pass ?? '' }, done))
        stage = 'data'
        await step((done) => connection.send({ from, to: [to], size: raw.length }, body, done))
        connection.quit()
        return null
      } catch (error) {
        connection.close()
        return failureOf(error as SmtpError, stage, stopping.aborted)
      } finally {
        stopping.removeEventListener('abort', onAbort)
      }
    },
  }
}
