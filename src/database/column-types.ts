import type { ColumnType } from 'kysely'

// The types of column values, apart from all modules, so that tables and modules share them without an import cycle.

export type Tier = 'free' | 'pro' | 'max'
export type TaskState = 'pending' | 'running' | 'done' | 'error' | 'skipped'
export type PackName = 'starter' | 'standard' | 'bulk'
/** What credits are spent on. */
export type SpendingOperation = 'scrape' | 'expand' | 'realtime'
export type EntryKind = 'reserve' | 'settle' | 'release' | 'grant'

/** The name of a platform: the key of its adapter in `platforms/registry.ts`. */
export type PlatformName = string

/** Why a platform delivered nothing (any more); `docs/platforms/` says what to do about each. */
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

/** How purges and suppressions identify a request or its author. */
export type IdentityKind = 'id' | 'url' | 'handle' | 'name' | 'profile'

/** A column that is set once, when its row is inserted. */
export type Fixed<T> = ColumnType<T, T, never>
export type FixedWithDefault<T> = ColumnType<T, T | undefined, never>
/** jsonb: read as a value, written as JSON text, because the two drivers serialize arrays differently. */
export type JsonColumn<T> = ColumnType<T, string | null, string | null>
