import type { Generated } from 'kysely'
import type { Fixed } from '../column-types.ts'

/** `refused`: unsubscribed without ever having confirmed. */
export type ConsentState = 'asked' | 'confirmed' | 'unsubscribed' | 'refused'

export interface MailTables {
  /** Whether an address wants mails of an account. */
  mail_consents: {
    account_id: Fixed<string>
    /** SHA-256 of the address, in hex. */
    address_hash: Fixed<string>
    state: ConsentState
    /** Whether a confirmation is to be sent. */
    is_due: boolean
    next_confirmation_at: Date
    /** How many were sent, or may have been, since it was last asked for. */
    confirmations: Generated<number>
    changed_at: Date
  }
  /** The channels to an address; they stay for some time when the channel is deleted. */
  mail_channels: {
    channel_id: Fixed<string>
    account_id: Fixed<string>
    address_hash: Fixed<string>
    unsubscribe_token: Fixed<string>
    created_at: Fixed<Date>
    deleted_at: Generated<Date | null>
  }
  /** The links of confirmations that were sent, or may have been. */
  mail_confirmations: {
    token_hash: Fixed<string>
    account_id: Fixed<string>
    address_hash: Fixed<string>
    expires_at: Fixed<Date>
    used_at: Date | null
  }
  mail_limits: {
    key: Fixed<string>
    count: number
    ends_at: Date
  }
}
