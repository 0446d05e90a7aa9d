import { randomBytes, randomUUID } from 'node:crypto'
import { pino } from 'pino'
import { createAccountWithKey } from '../../../accounts/accounts.ts'
import type { Message } from '../../../accounts/events/message.ts'
import type { Database } from '../../../database/open.ts'
import { createSlidingLog } from '../../../http/rate-limits/limiter.ts'
import { createRateLimits } from '../../../http/rate-limits/rate-limits.ts'
import { createSecrets, type Secrets } from '../../../http/secrets/secrets.ts'
import { createServer, setCommonRules } from '../../../http/server.ts'
import { type ConfirmationDependencies, sendConfirmations } from '../../mail/confirmations.ts'
import { type MailLimits, usualLimits } from '../../mail/limits.ts'
import { createMailer, type Mailer } from '../../mail/mailer.ts'
import { registerMailPages } from '../../mail/pages/routes.ts'
import { mailConfigFor, type TestMailServer } from '../../mail/testing.ts'
import { createSmtpTransport } from '../../mail/transport.ts'
import type { ChannelAdapter, DeliveryOutcome } from '../adapter.ts'
import { addChannel, sealedFor } from '../store/channels.ts'
import { addressOfUnconfirmed, createEmailAdapter, type EmailConfig, emailStates } from './email.ts'

export const publicUrl = 'https://wishwell.example'

export interface EmailLaboratory {
  adapter: ChannelAdapter<EmailConfig>
  secrets: Secrets
  /** Of the clock of everything here. */
  now: Date
  advance(ms: number): void
  addAccount(): Promise<string>
  /** A channel as a call makes it. @returns its id. */
  addEmail(accountId: string, address: string): Promise<string>
  /** Sends all confirmations that are due. */
  confirmations(): Promise<void>
  confirmationDependencies: ConfirmationDependencies
  /** The fields of what was logged of confirmations. */
  logged: unknown[]
  deliver(accountId: string, channelId: string, address: string, message?: Partial<Message>): Promise<DeliveryOutcome>
  stateOf(channelId: string): Promise<{ state: string; disabled_reason: string | null } | undefined>
}

export interface EmailLaboratoryOptions {
  database: Database
  server: TestMailServer
  limits?: Partial<MailLimits>
  mailer?: Mailer
}

/** The parts of mail channels around a database and a mail server of a test. */
export function createEmailLaboratory(options: EmailLaboratoryOptions): EmailLaboratory {
  const { database, server } = options
  const limits = { ...usualLimits, ...options.limits }
  const config = mailConfigFor(server)
  const timeouts = { connectMs: 4_000, idleMs: 4_000, totalMs: 20_000 }
  const mailer =
    options.mailer ?? createMailer({ config, transport: createSmtpTransport({ server: config.server, timeouts }) })
  const secrets = createSecrets([randomBytes(32)])
  const adapter = createEmailAdapter({ database, mailer, limits })
  const logged: unknown[] = []
  const confirmationDependencies: ConfirmationDependencies = {
    database,
    mailer,
    publicUrl: () => publicUrl,
    addressOf: addressOfUnconfirmed(database, secrets),
    onBounce: emailStates().onBounce,
    limits,
    log: { warn: (fields: unknown) => void logged.push(fields) },
  }
  const laboratory: EmailLaboratory = {
    logged,
    adapter,
    secrets,
    now: new Date('2026-03-02T08:00:00Z'),
    advance: (ms) => {
      laboratory.now = new Date(laboratory.now.getTime() + ms)
    },
    addAccount: async () => {
      const account = { name: 'an account', tier: 'max', now: laboratory.now } as const
      const made = await database.transaction().execute((transaction) => createAccountWithKey(transaction, account))
      return made.accountId
    },
    addEmail: async (accountId, address) => {
      const channelId = randomUUID()
      const signal = AbortSignal.timeout(5_000)
      const { config: sealed, hint, host } = await adapter.prepare({ address }, { channelId, signal })
      const common = { events: [], cadence: 'now', timezone: 'UTC', hour: 8, state: 'unconfirmed' } as const
      const row = { ...common, id: channelId, type: 'email' as const, name: 'a mail', hint, host, events: [] }
      const { now } = laboratory
      await database.transaction().execute(async (transaction) => {
        const text = secrets.seal(JSON.stringify(sealed), sealedFor(channelId))
        await addChannel(transaction, { ...row, accountId, keyId: null, config: text, now })
        await adapter.created?.(transaction, { channelId, accountId, name: 'a mail', config: sealed, now })
      })
      return channelId
    },
    confirmations: async () => {
      while (await sendConfirmations(confirmationDependencies, laboratory.now));
    },
    confirmationDependencies,
    deliver: (accountId, channelId, address, message = {}) =>
      adapter.deliver(
        { address },
        { ...usualMessage(laboratory.now), ...message },
        {
          channelId,
          accountId,
          channelName: 'a mail',
          now: laboratory.now,
          publicUrl,
          signal: AbortSignal.timeout(10_000),
        },
      ),
    stateOf: (channelId) =>
      database
        .selectFrom('channels')
        .select(['state', 'disabled_reason'])
        .where('id', '=', channelId)
        .executeTakeFirst(),
  }
  return laboratory
}

export const usualMessage = (now: Date): Message => ({
  id: randomUUID(),
  type: 'watch.news',
  occurredAt: now,
  title: 'Offline maps: 1 new',
  paragraphs: ['This is new.'],
  sections: [
    { heading: 'New', items: [{ title: 'A wish', url: `${publicUrl}/wishes/1`, detail: '3 votes' }], more: 0 },
  ],
  link: { label: 'Open', url: `${publicUrl}/watches/1` },
  data: {},
})

/** Serves the pages of the links. @returns calls of them, by the address in a mail. */
export async function serveMailPages(database: Database, { now }: { now: () => Date }, withoutKey = 60) {
  const clock = { now }
  const lines: string[] = []
  const log = pino({ level: 'debug' }, { write: (line: string) => void lines.push(line) })
  const app = createServer({ log, usualCallLevel: 'info', trustProxy: undefined })
  setCommonRules(app, () => null)
  const limits = { ofTier: () => 1_000, polls: 1_000, page: 1_000, feedback: 1_000, withoutKey, files: 1_000 }
  const rateLimits = createRateLimits({ clock, limiter: createSlidingLog({ clock }), limits })
  await registerMailPages(app, { database, clock, rateLimits, ...emailStates() })
  const base = await app.listen({ host: '127.0.0.1', port: 0 })
  const call = (link: string, init: RequestInit = {}) =>
    fetch(link.replace(publicUrl, base), { redirect: 'error', ...init })
  return { call, lines, close: () => app.close() }
}
