import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openTestDatabase, type TestDatabase } from '../../../test/database.ts'
import { leftOutColumns, leftOutTables, type MovedTable, readMovedTables } from './tables.ts'

/** The tables of a dump. A new table is named here or in `leftOutTables`. */
const movedTables = [
  'account_requests',
  'account_schedule',
  'account_sources',
  'account_wish_members',
  'account_wish_merges',
  'account_wishes',
  'accounts',
  'adapter_cache',
  'api_keys',
  'brief_parts',
  'briefs',
  'channel_deliveries',
  'channels',
  'credit_alerts',
  'credit_balances',
  'credit_entries',
  'credit_reservations',
  'events',
  'feeds',
  'idempotency_keys',
  'judgement_days',
  'judgement_tries',
  'label_draws',
  'live_calls',
  'mail_channels',
  'mail_confirmations',
  'mail_consents',
  'mail_limits',
  'mailboxes',
  'news_items',
  'news_judgement_days',
  'news_reads',
  'news_reports',
  'platform_hosts',
  'platform_quotas',
  'platform_topics',
  'pushes',
  'request_corrections',
  'request_judgements',
  'request_refreshes',
  'request_sources',
  'request_texts',
  'request_topics',
  'requests',
  'saved_views',
  'scrape_job_requests',
  'scrape_jobs',
  'scrape_tasks',
  'search_words',
  'session_people',
  'sessions',
  'shares',
  'sign_in_links',
  'spender_months',
  'suppressions',
  'topic_counts',
  'topic_deltas',
  'topics',
  'trackers',
  'uncounted_texts',
  'unwritten_texts',
  'vote_samples',
  'watch_requests',
  'watch_runs',
  'watches',
  'wish_corrections',
  'wish_marks',
  'wish_members',
  'wish_moves',
  'wish_partings',
  'wish_placings',
  'wish_queue',
  'wish_suggestions',
  'wishes',
  'word_deltas',
]

/** Types of values that are about one server only. */
const typesOfOneServer = ['xid8', 'xid', 'pg_snapshot', 'pg_lsn', 'tsvector', 'oid']

describe('the tables', () => {
  let opened: TestDatabase
  let moved: MovedTable[]
  beforeAll(async () => {
    opened = await openTestDatabase()
    moved = await readMovedTables(opened.database)
  })
  afterAll(() => opened.close())

  it('are all decided: in a dump, or left out for a reason', () => {
    expect(moved.map(({ name }) => name).filter((name) => !movedTables.includes(name))).toEqual([])
    expect(movedTables.filter((name) => Object.hasOwn(leftOutTables, name))).toEqual([])
    const columns = moved.flatMap((table) => table.columns.map((column) => `${table.name}.${column.name}`))
    expect(columns.filter((name) => Object.hasOwn(leftOutColumns, name))).toEqual([])
  })

  it('of a dump have no column that is about one server only', () => {
    for (const { name, columns } of moved) {
      for (const column of columns) expect(typesOfOneServer, `${name}.${column.name}`).not.toContain(column.type)
    }
  })

  it('come after those that they refer to', () => {
    const names = moved.map(({ name }) => name)
    const isBefore = (one: string, other: string) => names.indexOf(one) < names.indexOf(other)
    expect(isBefore('accounts', 'api_keys')).toBe(true)
    expect(isBefore('requests', 'vote_samples')).toBe(true)
    expect(isBefore('scrape_jobs', 'credit_reservations')).toBe(true)
    expect(isBefore('credit_reservations', 'credit_entries')).toBe(true)
    expect(isBefore('wishes', 'wish_members')).toBe(true)
    expect(isBefore('api_keys', 'watches')).toBe(true)
    expect(isBefore('scrape_jobs', 'watch_runs')).toBe(true)
    expect(isBefore('events', 'channel_deliveries')).toBe(true)
    expect(isBefore('mail_consents', 'mail_channels')).toBe(true)
  })
})
