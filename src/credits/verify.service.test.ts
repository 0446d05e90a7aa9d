import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { openTestDatabase, type TestDatabase } from '../../test/database.ts'
import { grantPack } from './ledger.ts'
import type { Difference } from './ledger-rules.ts'
import { december, ledgerOf, november } from './testing.ts'
import { verifyLedger } from './verify.ts'

// Holds (Credits and limits): verification finds every inconsistency of the ledger

let opened: TestDatabase
beforeAll(async () => {
  opened = await openTestDatabase()
})
afterAll(() => opened.close())
const ledger = ledgerOf(() => opened.database)

/** Tampers with the tables, verifies, and rolls back. */
async function verifyAfter(...statements: string[]): Promise<Difference[]> {
  const found: Difference[] = []
  const undone = new Error('undone')
  const attempt = ledger.inTransaction(async (transaction) => {
    for (const statement of statements) await sql.raw(statement).execute(transaction)
    found.push(...(await verifyLedger(transaction)))
    throw undone
  })
  await expect(attempt).rejects.toBe(undone)
  return found
}

const allowChanges = 'alter table credit_entries disable trigger credit_entries_append_only'
/** Drops every constraint that would refuse the tampering itself. */
const dropRules = (table: string) => `do $$ declare rule text; begin
    for rule in select conname from pg_constraint where conrelid = '${table}'::regclass and contype in ('c', 'f') loop
      execute format('alter table ${table} drop constraint %I cascade', rule);
    end loop;
  end $$`

/** Gives entries new numbers, as if they had been written last. */
const moveToTheEnd = (which: string) => {
  const columns = `account_id, month, kind, operation, cause, pack, reservation_id, pool_held_change, pool_settled_change,
    payg_held_change, payg_settled_change, payg_granted_change, created_at, key_id, watch_id`
  return `with moved as (delete from credit_entries where ${which} returning *)
    insert into credit_entries (${columns}) select ${columns} from moved`
}

const watch = { watchId: crypto.randomUUID(), watchMonthlyCredits: 20 }

describe('the ledger of an account with jobs, calls and packs', () => {
  let accountId: string
  beforeEach(async () => {
    await opened.reset()
    accountId = await ledger.makeAccount('free')
    const grant = { accountId, pack: 'starter' as const, credits: 1_300, cause: 'a test', now: november }
    await ledger.inTransaction((transaction) => grantPack(transaction, grant))
    await ledger.endJob(await ledger.startJob(accountId, { depth: 40, platforms: 2 }), 50)
    await ledger.startJob(accountId, { depth: 20, platforms: 3 })
    await ledger.endCall(await ledger.startCall(accountId, 40), 30)
    await ledger.endCall(await ledger.startCall(accountId, 1), 0)
    await ledger.startCall(accountId, 1)
    const payer = { keyId: await ledger.makeKey(accountId, { monthlyCredits: 9 }), ...watch }
    await ledger.endCall(await ledger.startCall(accountId, 5, november, payer), 3)
    await ledger.startCall(accountId, 2, november, payer)
  })

  it('is sound, also after the month has turned', async () => {
    expect(await verifyLedger(opened.database)).toEqual([])
    await ledger.startCall(accountId, 150, december)
    expect(await verifyLedger(opened.database)).toEqual([])
  })

  it.each<[what: string, statements: string[], checks: string[]]>([
    ...['pool_settled', 'payg_balance', 'payg_month_used'].map((name): [string, string[], string[]] => [
      `a wrong ${name}`,
      [`update credit_balances set ${name} = ${name} + 1`],
      [`balance: ${name}`],
    ]),
    ...['pool_held', 'payg_held'].map((name): [string, string[], string[]] => [
      `a wrong ${name}`,
      [`update credit_balances set ${name} = ${name} - 1`],
      [`balance: ${name}`, `balance: ${name} of open reservations`],
    ]),
    [
      'a job that reserves nothing, although its pool is that of a plan',
      [
        dropRules('credit_reservations'),
        `with free as (
          update credit_reservations r set pool_part = 0, payg_part = 0 from scrape_jobs j
          where j.id = r.job_id and r.state = 'open' returning r.id
        ) select from free`,
      ],
      [
        'balance: payg_held of open reservations',
        'balance: pool_held of open reservations',
        'job: reserved',
        'reservation: payg held',
        'reservation: payg reserved',
        'reservation: pool held',
        'reservation: pool reserved',
      ],
    ],
    [
      'a month that is none',
      [dropRules('credit_balances'), "update credit_balances set month = '2026-13'"],
      [
        'balance: month has its form',
        'balance: month is not after the latest',
        'balance: payg_month_used',
        'balance: pool_held',
        'balance: pool_held of open reservations',
        'balance: pool_settled',
      ],
    ],
    [
      'a lost balance',
      [dropRules('credit_reservations'), dropRules('credit_entries'), 'delete from credit_balances'],
      [
        'balance: month has its form',
        'balance: month is not after the latest',
        'balance: payg_balance',
        'balance: payg_held',
        'balance: payg_held of open reservations',
        'balance: payg_month_used',
        'balance: pool_held',
        'balance: pool_held of open reservations',
        'balance: pool_settled',
      ],
    ],
    [
      'a lost entry',
      [
        allowChanges,
        "delete from credit_entries where kind = 'release' and payg_held_change < 0 and pool_held_change = 0",
      ],
      ['balance: payg_held', 'balance: payg_month_used', 'reservation: payg held', 'spender: held'],
    ],
    [
      'an entry in another month',
      [allowChanges, "update credit_entries set month = '2026-10' where kind = 'settle' and operation = 'scrape'"],
      ['balance: pool_held', 'balance: pool_settled', 'reservation: entries of another month, cause, key or watch'],
    ],
    [
      'an entry with another cause',
      [allowChanges, "update credit_entries set cause = 'x' where kind = 'settle' and operation = 'scrape'"],
      ['reservation: entries of another month, cause, key or watch'],
    ],
    [
      'a split that was not the one reserved',
      [
        "update credit_reservations set pool_part = pool_part - 1, payg_part = payg_part + 1 where state = 'open' and job_id is not null",
      ],
      [
        'balance: payg_held of open reservations',
        'balance: pool_held of open reservations',
        'reservation: payg held',
        'reservation: payg reserved',
        'reservation: pool held',
        'reservation: pool reserved',
      ],
    ],
    [
      'a reservation in a month to come',
      [
        allowChanges,
        "update credit_entries set month = '2027-01' where operation = 'expand'",
        "update credit_reservations set month = '2027-01' where operation = 'expand'",
      ],
      [
        'balance: payg_month_used',
        'reservation: month is not after the latest of the balances',
        'reservation: month is that of its moment',
        'spender: held',
        'spender: settled',
      ],
    ],
    [
      'a job that ended without its reservation',
      ["update scrape_tasks set state = 'done'"],
      ['job: state of its reservation'],
    ],
    [
      'a reservation that ended before its job',
      ["update scrape_tasks set state = 'running' where pages > 0"],
      ['job: settled', 'job: state of its reservation'],
    ],
    ['a page that was not charged', ['update scrape_tasks set pages = pages + 1 where pages > 0'], ['job: settled']],
    [
      'a job of another size than was reserved',
      [dropRules('scrape_jobs'), 'update scrape_jobs set depth = 19 where depth = 20'],
      ['job: reserved'],
    ],
    [
      'a job without a reservation',
      [
        'insert into scrape_jobs (account_id, topic, depth, created_at) select account_id, topic, depth, created_at from scrape_jobs limit 1',
      ],
      ['job: account', 'job: reserved', 'job: settled', 'job: state of its reservation'],
    ],
    [
      'a job paid by another account',
      [
        "insert into accounts (name, tier, created_at) values ('b', 'free', now())",
        "insert into credit_balances (account_id, month, latest_month) select id, '2026-11', '2026-11' from accounts where name = 'b'",
        "update scrape_jobs set account_id = (select id from accounts where name = 'b') where depth = 20",
      ],
      ['job: account'],
    ],
    [
      'a call that was lost with its credits held',
      ["delete from live_calls where created_at = '2026-11-21T12:00:00Z'"],
      ['call: state of its reservation'],
    ],
    [
      'a call under way whose credits were given back',
      [
        "insert into live_calls (id, account_id, operation, created_at, expires_at) select call_id, account_id, 'expand', now(), now() from credit_reservations where settled = 30",
      ],
      ['call: state of its reservation'],
    ],
    [
      'a call without a reservation',
      [
        "insert into live_calls (id, account_id, operation, created_at, expires_at) select gen_random_uuid(), id, 'expand', now(), now() from accounts",
      ],
      ['call: reservation'],
    ],
    [
      'a call of another kind than was paid',
      ["update live_calls set operation = 'realtime'"],
      ['call: account and operation'],
    ],
    [
      'PAYG credits spent before they were bought',
      [allowChanges, moveToTheEnd("kind = 'grant'")],
      ['entry: payg available then'],
    ],
    [
      'PAYG credits settled before they were reserved',
      [allowChanges, moveToTheEnd("kind = 'reserve' and pool_held_change = 0")],
      ['entry: payg held until then'],
    ],
    ...['held', 'settled'].map((name): [string, string[], string[]] => [
      `a wrong ${name} of spenders`,
      [`update spender_months set ${name} = ${name} + 1`],
      [`spender: ${name}`],
    ]),
    [
      'a spender without its row',
      ["delete from spender_months where kind = 'watch'"],
      ['spender: held', 'spender: settled'],
    ],
    [
      'a spender without entries',
      [
        `insert into spender_months select account_id, '2026-10', kind, spender_id, 1, 0 from spender_months where kind = 'watch'`,
      ],
      ['spender: held'],
    ],
    [
      'a key over its budget',
      ['update api_keys set monthly_credits = 4 where monthly_credits is not null'],
      ['spender: within its budget'],
    ],
    [
      'a reservation of another key than its entries',
      ['update credit_reservations set key_id = null'],
      ['reservation: entries of another month, cause, key or watch'],
    ],
    [
      'an entry of another watch',
      [allowChanges, `update credit_entries set watch_id = null where kind = 'settle'`],
      ['reservation: entries of another month, cause, key or watch', 'spender: held', 'spender: settled'],
    ],
  ])('is reported to have %s', async (_what, statements, checks) => {
    const found = new Set((await verifyAfter(...statements)).map((difference) => difference.check))
    expect([...found].toSorted()).toEqual(checks)
  })

  it('names the subject, the stored and the expected value', async () => {
    expect(await verifyAfter('update credit_balances set payg_balance = payg_balance + 2')).toEqual([
      { accountId, check: 'balance: payg_balance', subject: accountId, stored: '1269', expected: '1267' },
    ])
  })
})

describe('a large ledger', () => {
  it('is verified to its last account, up to the limit of differences', async () => {
    await opened.reset()
    const accountIds: string[] = []
    for (let index = 0; index < 120; index++) accountIds.push(await ledger.makeAccount('free'))
    const tamper = (where: string) => `update credit_balances set pool_settled = 1 where ${where}`
    const last = accountIds.toSorted().at(-1)
    expect(await verifyAfter(tamper(`account_id = '${last}'`))).toMatchObject([{ accountId: last }])
    expect(await verifyAfter(tamper('true'))).toHaveLength(100)
  })
})
