import { defaultPricing } from '../../accounts/plans.ts'
import { closeReservation, reserve } from '../../credits/ledger.ts'
import type { Database } from '../../database/open.ts'

// Rows of the tables of watches, news, channels, trackers, mails, feeds and shares, in a database of the rows of `test/rows.sql`.

const account = 'a0000000-0000-4000-8000-000000000001'
const request = 'e0000000-0000-4000-8000-000000000001'
const [parentKey, key] = ['b0000000-0000-4000-8000-000000000008', 'b0000000-0000-4000-8000-000000000009']
const watch = '70000000-0000-4000-8000-000000000001'
const report = '71000000-0000-4000-8000-000000000001'
const channel = '72000000-0000-4000-8000-000000000001'
const event = '73000000-0000-4000-8000-000000000001'
const tracker = '75000000-0000-4000-8000-000000000001'
const now = '2026-11-20T10:00:00.123456Z'

export const comeBackRows = `
  insert into api_keys (id, account_id, name, hash, hint, created_at, scope, expires_at, monthly_credits, bearers) values
    ('${parentKey}', '${account}', 'bounded', repeat('8a', 32), 'ww_live_ijkl', '${now}', 'manage', '2126-11-20T10:00:00Z', 500, '{}'),
    ('${key}', '${account}', 'more bounded', repeat('9a', 32), 'ww_live_mnop', '${now}', 'collect', '2126-11-20T10:00:00Z', 50, '{${parentKey}}');
  insert into credit_alerts values ('${account}', '2026-10', 80), ('${account}', '2026-10', 95);
  insert into watches (id, account_id, key_id, name, topic, platforms, sources, depth, schedule, timezone, monthly_credits, goal, filters, channels, state,
      created_at, next_run_at, last_looked_at, told_unpaid_in) values
    ('${watch}', '${account}', '${key}', E'Editors\\t"😀"', 'dark mode', '{github,stackexchange}', '{"github": ["example/app"]}', 3, '15 8 * * MON',
      'Europe/Berlin', 40, 'what "fits"', '{"minVotes": 3, "q": "\\\\u0041"}', '{${channel},00000000-0000-4000-8000-00000000000f}', 'active',
      '${now}', '2126-11-20T10:00:00Z', '${now}', '2026-10'),
    (gen_random_uuid(), '${account}', null, 'quiet', 'sync', '{}', null, 1, 'daily', 'UTC', 1, null, '{}', '{}', 'asking', '${now}', null, '${now}', null);
  insert into watch_runs (watch_id, trigger, due_at, begun_at, job_id, skipped, reported_at) values
    ('${watch}', 'schedule', '2026-11-10T09:59:00Z', '2026-11-10T09:59:00Z', '10000000-0000-4000-8000-000000000001', null, '${now}'),
    ('${watch}', 'schedule', '2026-11-17T09:59:00Z', '${now}', null, 'no_credits', null);
  update scrape_jobs set watch_id = '${watch}', newest_since = '${now}' where id = '10000000-0000-4000-8000-000000000001';
  insert into watch_requests values
    ('${watch}', repeat('4f', 32), '${request}', 40, 'planned', '${request}', true, null),
    ('${watch}', repeat('5f', 32), gen_random_uuid(), null, null, null, false, false);
  insert into news_reports values ('${report}', '${watch}', null, '${now}', 'ready', '${now}', 1, 2, 0, 0, 0, '{"chance": 1e-9, "voices": 7, "expected": 0.25}', null, null),
    (gen_random_uuid(), '${watch}', '${now}', '${now}', 'judging', null, 0, 0, 0, 0, 0, null, gen_random_uuid(), 'infinity');
  insert into news_items values ('${report}', 'grown', '${request}', '{${request},e0000000-0000-4000-8000-000000000003}', 12, 1, true, 0, null, null, null),
    ('${report}', 'rising', '${request}', '{${request}}', 0, 1, null, 1, 7, .25, 1e-9);
  insert into news_reads values ('${watch}', '${now}');
  insert into news_judgement_days values ('2026-11-20', 7);
  insert into channels (id, account_id, type, name, config, hint, host, events, cadence, timezone, hour, state, disabled_reason, created_at, failing_since,
      failures, rests_until, due_at, claimed_by, claimed_until) values
    ('${channel}', '${account}', 'webhook', 'CI', 'v1.abcdef.a+/=', '…/hook', 'ci.example:443', '{watch.news,credits.low}', 'now', 'UTC', 0, 'active', null,
      '${now}', '${now}', 2, '${now}', '${now}', gen_random_uuid(), '${now}'),
    (gen_random_uuid(), '${account}', 'email', 'me', 'v1.abcdef.b', 'a…@example.org', 'example.org', '{}', 'weekly', 'Asia/Tokyo', 23, 'disabled', 'bounced',
      '${now}', null, 0, null, null, null, null);
  insert into events (id, account_id, type, watch_id, subject, created_at, fanned_out_at) values
    ('${event}', '${account}', 'watch.news', '${watch}', '{"watchId": "${watch}", "reportId": "${report}"}', '${now}', '${now}'),
    (gen_random_uuid(), null, 'wish.status_changed', null, '{"requestId": "${request}"}', '${now}', null);
  insert into channel_deliveries (channel_id, event_id, state, message_id, attempts, due_at, created_at, last_attempt_at, ended_at, last_status, last_error) values
    ('${channel}', '${event}', 'pending', '${event}', 2, '${now}', '${now}', '${now}', null, 500, 'The receiver answered 500.');
  insert into feeds (account_id, kind, name, topic, watch_id, query, filters, secret_hash, hint, authority, created_at) values
    ('${account}', 'watch', 'of a watch', null, '${watch}', null, null, repeat('ab', 32), 'abcd', 'wishwell.example', '${now}'),
    ('${account}', 'search', 'of a search', null, null, 'dark "mode"', '{"minVotes": 3}', repeat('cd', 32), 'efgh', 'wishwell.example', '${now}');
  insert into session_people values ('c0000000-0000-4000-8000-000000000001', '${account}', 'Ada „Countess" Lovelace', '${now}');
  insert into shares (account_id, wish_id, topic, view, title, with_notes, token_hash, hint, created_at, made_by, person_name, expires_at, last_opened_at) values
    ('${account}', '${request}', null, null, 'Our „dark" plan', true, repeat('ac', 32), 'abcd', '${now}', '${key}', 'Ada', '2126-11-20T10:00:00Z', '${now}'),
    ('${account}', null, null, '{"query": "dark \\"mode\\"", "sortBy": "new"}', null, false, repeat('bd', 32), 'efgh', '${now}', null, null, '2126-11-20T10:00:00Z', null);
  insert into trackers values ('${tracker}', '${account}', 'github', 'Our „app"', 's1.abcdef.a+/=', 'acme/app', '${now}', '${key}', '2126-11-20T10:00:00Z', 1,
      'GitHub answered 502.', '${now}', '${now}', gen_random_uuid(), '${now}');
  insert into pushes values
    (gen_random_uuid(), '${account}', '${tracker}', '${request}', 'sent', '${now}', 2, '${now}', 'I_1', '#1', 'https://github.com/acme/app/issues/1', 'planned',
      '${now}', null, 'admin', '${now}'),
    (gen_random_uuid(), '${account}', '${tracker}', gen_random_uuid(), 'failed', null, 1, '${now}', null, null, null, null, null, 'GitHub refuses it (422).', 'admin', '${now}');
  insert into mail_consents values ('${account}', repeat('ef', 32), repeat('ee', 32), 'asked', true, '${now}', 2, '${now}');
  insert into mail_channels values ('${channel}', '${account}', repeat('ef', 32), 'a token', '${now}');
  insert into mail_confirmations values (repeat('aa', 32), '${account}', repeat('ef', 32), '2126-11-20T10:00:00Z', null);
  insert into mailboxes values (repeat('ee', 32), 2, '2126-11-20T10:00:00Z', null);
  insert into mail_limits values ('domain example.org', 3, '2126-11-20T10:00:00Z');
`

/** Spends by the key and the watch above: one reservation is closed, and one is open. */
export async function spendByBudgets(database: Database): Promise<void> {
  const spender = { accountId: account, keyId: key, watchId: watch, watchMonthlyCredits: 40 }
  const payer = { ...spender, now: new Date(now), pricing: defaultPricing }
  await database.transaction().execute(async (transaction) => {
    const [closed, open] = ['74000000-0000-4000-8000-000000000001', '74000000-0000-4000-8000-000000000002']
    await reserve(transaction, { ...payer, operation: 'expand', callId: closed, amount: 2 })
    await closeReservation(transaction, { operation: 'expand', callId: closed, settled: 1, now: payer.now })
    await reserve(transaction, { ...payer, operation: 'expand', callId: open, amount: 1 })
    await transaction
      .insertInto('live_calls')
      .values({
        id: open,
        account_id: account,
        operation: 'expand',
        idempotency_id: null,
        created_at: payer.now,
        expires_at: new Date('2126-11-20T10:00:00Z'),
      })
      .execute()
  })
}
