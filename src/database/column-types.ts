import type { ColumnType } from 'kysely'

// Types of column values, apart from all modules so that tables and modules share them without import cycles.

export type Tier = 'free' | 'pro' | 'max'
export type TaskState = 'pending' | 'running' | 'done' | 'error' | 'skipped'
export type PackName = 'starter' | 'standard' | 'bulk'
export const spendingOperations = ['scrape', 'expand', 'realtime'] as const
export type SpendingOperation = (typeof spendingOperations)[number]
/** Whose monthly use is counted; `key_budget` is a key with a budget plus the keys it made. */
export type SpenderKind = 'key_budget' | 'watch'
export type EntryKind = 'reserve' | 'settle' | 'release' | 'grant'

/** API key scopes, each including those before: read stored data, spend credits, manage the account. */
export const keyScopes = ['read', 'collect', 'manage'] as const
/** `feedback` allows only sending feedback. The words of v1 are closed, so its answers say `feedbackOnly`. */
export type KeyScope = (typeof keyScopes)[number] | 'feedback'

/** A platform's name: its adapter's key in `platforms/registry.ts`. */
export type PlatformName = string

/** Why a platform delivered nothing (more); `docs/platforms/` says what to do about each. */
export const platformErrorCodes = [
  'rate_limited',
  'unauthorized',
  'blocked',
  'bad_response',
  'timeout',
  'unavailable',
  'quota_exhausted',
  'not_configured',
  'cancelled',
] as const

export type PlatformErrorCode = (typeof platformErrorCodes)[number]

/** Status of a request on its platform. `closed` says no more than that: by a bot, or for an unknown reason. */
export const requestStatuses = [
  'open',
  'planned',
  'in_progress',
  'completed',
  'declined',
  'duplicate',
  'closed',
] as const

export type RequestStatus = (typeof requestStatuses)[number]

/** Lists, searches and counts cover `likely`; `include=maybe` adds `maybe`, `include=all` all listed requests. */
export const standings = { likely: 2, maybe: 1, unlikely: 0, unlisted: -1 } as const

export type Standing = (typeof standings)[keyof typeof standings]

/** Ways in which purges and suppressions identify a request or author. */
export type IdentityKind = 'id' | 'url' | 'handle' | 'name' | 'profile'

/** `removed` includes withheld items and meaningless closings; `beyondLimit` is more than one answer may hold. */
export const discardReasons = ['offTopic', 'noText', 'reply', 'notPublic', 'removed', 'beyondLimit'] as const
export type DiscardReason = (typeof discardReasons)[number]
/** Items left out, by reason; no field for zero. */
export type Discarded = Partial<Record<DiscardReason, number>>

/** A column set only on insert. */
export type Fixed<T> = ColumnType<T, T, never>
export type FixedWithDefault<T> = ColumnType<T, T | undefined, never>
/** jsonb: read as a value, written as JSON text, because the two drivers serialize arrays differently. */
export type JsonColumn<T> = ColumnType<T, string | null, string | null>
