import { Type } from 'typebox'
import type { Message } from '../../../accounts/events/message.ts'
import type { Database, Transaction } from '../../../database/open.ts'
import { type Secrets, UnreadableSecretError } from '../../../http/secrets/secrets.ts'
import { invalidField } from '../../../http/validation.ts'
import { hourMs } from '../../../runtime/durations.ts'
import { addressHash, addressHint, parseMailAddress } from '../../mail/address.ts'
import type { AddressOfChannel } from '../../mail/confirmations.ts'
import {
  addMailChannel,
  askAgain,
  endMailChannels,
  lockConsent,
  readConsent,
  unsubscribeUrl,
  withdrawConsent,
} from '../../mail/consents.ts'
import { countMail, LimitReached, type MailLimits, usualLimits } from '../../mail/limits.ts'
import type { Mailer } from '../../mail/mailer.ts'
import { newsFooter } from '../../mail/templates/content.ts'
import { usualTimeouts } from '../../mail/transport.ts'
import type { ChannelAdapter, ChannelStates, DeliveryContext, DeliveryOutcome } from '../adapter.ts'
import { sealedFor } from '../store/channels.ts'
import { channelStates } from '../store/states.ts'

export interface EmailConfig {
  /** From `parseMailAddress`. */
  address: string
}

export interface EmailDependencies {
  database: Database
  /** Null without a configured mail server. */
  mailer: Mailer | null
  states?: ChannelStates
  limits?: MailLimits
}

/** For checking consent and limits, before calling the mail server. */
const beforeMailMs = 5_000

const unavailable = 'The operator has not configured a mail server (SMTP_URL).'
const oneAddress = 'must be one mail address like name@example.org, without a name, quotes or comments'

/** Only a channel whose address was confirmed for its account gets mail. @returns the outcome for others. */
async function readAllowed({ database }: EmailDependencies, { address }: EmailConfig, { channelId }: DeliveryContext) {
  const [to, consent] = [parseMailAddress(address), await readConsent(database, channelId)]
  const none = { outcome: 'failed', error: 'The address has not been confirmed.', isFinal: 'delivery' } as const
  if (to === null || consent === null || consent.addressHash !== addressHash(to) || consent.state === 'asked')
    return none
  if (consent.state !== 'confirmed') {
    const error = 'The reader unsubscribed.'
    return { outcome: 'failed', error, isFinal: 'channel', reason: 'unsubscribed' } as const
  }
  return { outcome: 'allowed', to, consent } as const
}

/** Counts a mail. @returns the wait if a limit is reached, else null. */
async function waitFor(
  { database, limits = usualLimits }: EmailDependencies,
  { accountId, now }: DeliveryContext,
  domain: string,
): Promise<number | null> {
  try {
    const wanted = [
      { key: `account ${accountId}`, limit: limits.accountPerHour, windowMs: hourMs },
      { key: `domain ${domain}`, limit: limits.domainPerHour, windowMs: hourMs },
    ]
    await database.transaction().execute((transaction) => countMail(transaction, wanted, now))
    return null
  } catch (error) {
    if (error instanceof LimitReached) return error.retryAfterMs
    throw error
  }
}

async function deliver(
  dependencies: EmailDependencies,
  config: EmailConfig,
  message: Message,
  context: DeliveryContext,
): Promise<DeliveryOutcome> {
  const { database, mailer } = dependencies
  const { channelId, accountId, publicUrl, now, signal } = context
  if (mailer === null) return { outcome: 'failed', error: unavailable }
  const allowed = await readAllowed(dependencies, config, context)
  if (allowed.outcome !== 'allowed') return allowed
  const { to, consent } = allowed
  const wait = await waitFor(dependencies, context, to.domain)
  if (wait !== null) return { outcome: 'postponed', retryAfterMs: wait, error: 'The limit of mails is reached.' }
  const url = unsubscribeUrl(publicUrl, consent.unsubscribeToken)
  const { title, paragraphs, sections, link } = message
  const result = await mailer.send({
    to,
    content: { title, paragraphs, sections, link, footer: newsFooter(publicUrl, url), publicUrl },
    identity: `${message.id} ${channelId}`,
    unsubscribeUrl: url,
    now,
    signal,
  })
  if (result.sent) return { outcome: 'delivered', status: 250 }
  const status = result.failure.code ?? undefined
  const failed = { outcome: 'failed', error: result.error, ...(status === undefined ? {} : { status }) } as const
  if (result.kind !== 'bounced') return failed
  // The mailbox's next owner must confirm for themselves.
  const key = { accountId, addressHash: consent.addressHash }
  await database.transaction().execute((transaction) => withdrawConsent(transaction, key, now))
  return { ...failed, isFinal: 'channel', reason: 'bounced' }
}

/** Mails to confirmed addresses (`../../mail`). */
export function createEmailAdapter(dependencies: EmailDependencies): ChannelAdapter<EmailConfig> {
  const { mailer, states = channelStates } = dependencies
  return {
    type: 'email',
    unavailable: mailer === null ? unavailable : null,
    fields: {
      address: Type.String({
        minLength: 3,
        maxLength: 254,
        description: 'One mail address. It gets one confirmation, and nothing else until its owner has confirmed',
      }),
    },
    initialState: 'unconfirmed',
    timeLimitMs: usualTimeouts.totalMs + beforeMailMs,
    prepare: async ({ address }) => {
      const parsed = parseMailAddress(String(address))
      if (parsed === null) throw invalidField('address', oneAddress)
      return { config: { address: parsed.address }, hint: addressHint(parsed), host: parsed.domain }
    },
    created: async (transaction, { channelId, accountId, config, now }) => {
      const address = parseMailAddress(config.address)
      if (address === null) throw invalidField('address', oneAddress)
      const isConfirmed = await addMailChannel(transaction, { channelId, accountId }, address, now)
      if (isConfirmed) await states.confirm(transaction, channelId)
    },
    enabling: (transaction, channelId) => lockConsent(transaction, channelId),
    askAgain,
    deleted: (transaction, channelIds, now) => endMailChannels(transaction, channelIds, now),
    deliver: (config, message, context) => deliver(dependencies, config, message, context),
  }
}

/** How confirmations, unsubscriptions and bounces change the channels of an address. */
export const emailStates = (states: ChannelStates = channelStates) => ({
  onConfirmed: async (transaction: Transaction, channelIds: readonly string[]) => {
    for (const channelId of [...channelIds].sort()) await states.confirm(transaction, channelId)
  },
  onUnsubscribed: async (transaction: Transaction, channelIds: readonly string[], now: Date) => {
    for (const channelId of [...channelIds].sort()) await states.disable(transaction, channelId, 'unsubscribed', now)
  },
  onBounce: async (transaction: Transaction, channelIds: readonly string[], now: Date) => {
    for (const channelId of [...channelIds].sort()) await states.disable(transaction, channelId, 'bounced', now)
  },
})

/** Opens the sealed address of a channel that awaits confirmation. */
export const addressOfUnconfirmed =
  (database: Database, secrets: Secrets) =>
  async (channelIds: readonly string[]): Promise<AddressOfChannel | null> => {
    if (channelIds.length === 0) return null
    const rows = await database
      .selectFrom('channels')
      .select(['id', 'config'])
      .where('id', 'in', channelIds)
      .where('type', '=', 'email')
      .where('state', '=', 'unconfirmed')
      .orderBy('created_at')
      .orderBy('id')
      .execute()
    for (const { id, config } of rows) {
      try {
        const opened = JSON.parse(secrets.open(config, sealedFor(id))) as EmailConfig
        const address = parseMailAddress(opened.address)
        if (address !== null) return { channelId: id, address }
      } catch (error) {
        // A maintenance job disables it (../upkeep.ts).
        if (!(error instanceof UnreadableSecretError)) throw error
      }
    }
    return null
  }
