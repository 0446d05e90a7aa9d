import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { campaignSize } from '../../test/campaign-size.ts'
import { openTestDatabase, type TestDatabase } from '../../test/database.ts'
import { readAccountUse, updateAccount } from '../accounts/accounts.ts'
import { monthOf, monthPeriod, weekOf } from '../accounts/period.ts'
import { defaultPricing, type Pricing, packNames, tiers } from '../accounts/plans.ts'
import type { PackName, Tier } from '../database/column-types.ts'
import { type Collection, readCollections } from './collections.ts'
import { type Cause, grantPack, reserve } from './ledger.ts'
import { LedgerModel, type ModelReservation, type ModelSpender } from './ledger-model-testing.ts'
import type { Payer } from './spenders.ts'
import { readSpending, readWeeklySpending, type Spent } from './spending.ts'
import { ledgerOf } from './testing.ts'
import { readUsage } from './usage.ts'
import { verifyAccounts } from './verify.ts'

// Holds (Credits and limits): the pool of a month is granted once, however clocks jump
// Holds (Credits and limits): balances equal the ledger after every step, in any order of steps
// Holds (Credits and limits): totals by collection, week and spender agree to the credit
// Holds (Watches, news and channels): a watch's or key's budget is never exceeded, whatever runs at once

// Takes seconds: a run checks the whole ledger after each of its steps.

// Whatever happens to an account, in whatever order: the ledger does what the model does and is sound after every step.
// TEST_SEED repeats a run, LEDGER_RUNS=50000 makes it a long one.

const runs = campaignSize('LEDGER_RUNS', { quick: 40, nightly: 10_000 })
const seed = Number(process.env.TEST_SEED ?? Math.trunc(Math.random() * 2 ** 31))
/** Run at once, each with a share of the runs and a seed of its own, so that no core is left idle. */
const shards = 4

let opened: TestDatabase
beforeAll(async () => {
  opened = await openTestDatabase()
})
afterAll(() => opened.close())
const ledger = ledgerOf(() => opened.database)

/** Who pays besides the account: by the names of `keys` and of the one watch. */
type PayerName = 'free key' | 'parent' | 'child' | 'watch' | 'child and watch' | 'person'
/** The parent and the child have budgets, and what the child uses counts in that of its parent. */
const budgets = { parent: 60, child: 40, watch: 50 }

type Step =
  | { do: 'start job'; depth: number; platforms: number; monthsBehind: number; payer: PayerName | null }
  | { do: 'start call'; amount: number; monthsBehind: number; payer?: PayerName | null }
  | { do: 'end' | 'end twice at once'; which: number; share: number }
  | { do: 'start again' | 'end again' | 'settle too much'; which: number }
  | { do: 'grant'; pack: PackName }
  | { do: 'turn month' | 'set clock back'; months: number }
  | { do: 'change plan'; tier: Tier }
  | { do: 'change cap'; cap: number | null }

const payer = fc.option(
  fc.constantFrom<PayerName[]>('free key', 'parent', 'child', 'watch', 'child and watch', 'person'),
)

/** Most clocks agree; that of another process may be behind. */
const monthsBehind = fc.oneof({ weight: 5, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.constantFrom(1, 2) })
const which = fc.nat(3)
const share = fc.oneof(fc.constantFrom(0, 1), fc.double({ min: 0, max: 1, noNaN: true }))
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('start job'),
      depth: fc.integer({ min: 1, max: 40 }),
      platforms: fc.integer({ min: 1, max: 3 }),
      monthsBehind,
      payer,
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constant('start call'), amount: fc.integer({ min: 1, max: 6_000 }), monthsBehind }),
  },
  { weight: 5, arbitrary: fc.record({ do: fc.constant('end'), which, share }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('end twice at once'), which, share }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constantFrom('start again', 'end again', 'settle too much'), which }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('grant'), pack: fc.constantFrom(...packNames) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('turn month'), months: fc.constantFrom(1, 2, 3) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('set clock back'), months: fc.constantFrom(1, 2, 3) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('change plan'), tier: fc.constantFrom(...tiers) }) },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant('change cap'), cap: fc.option(fc.integer({ min: 0, max: 3_000 })) }),
  },
)

const plan = fc.record({ creditsPerMonth: fc.integer({ min: 1, max: 6_000 }), requestsPerMinute: fc.constant(20) })
const packOf = fc.record({ credits: fc.integer({ min: 1, max: 10_000 }), priceUsd: fc.constant(5) })
/** That of most services, and any that an operator may set. */
const pricings: fc.Arbitrary<Pricing> = fc.oneof(
  fc.constant(defaultPricing),
  fc.record({
    plans: fc.record({ free: plan, pro: plan, max: plan }),
    prices: fc.constant(defaultPricing.prices),
    packs: fc.record({ starter: packOf, standard: packOf, bulk: packOf }),
  }),
)

/** What most of the interesting things need: a plan, PAYG credits, and a pool that is nearly empty. */
const beginning = fc.record({
  tier: fc.constantFrom(...tiers),
  pack: fc.option(fc.constantFrom(...packNames), { freq: 3 }),
  left: fc.option(fc.integer({ min: 0, max: 60 })),
  pricing: pricings,
})

/** A moment of a month, counted from December 2027, so that leap days are met: its first or its last millisecond. */
const momentIn = (month: number, isLast: boolean) =>
  new Date(isLast ? Date.UTC(2027, 12 + month, 1) - 1 : Date.UTC(2027, 11 + month, 1))

const sumOf = (rows: readonly Spent[]): Spent => ({
  held: rows.reduce((sum, { held }) => sum + held, 0),
  settled: rows.reduce((sum, { settled }) => sum + settled, 0),
})

interface Begun {
  cause: Cause
  end(settled: number, now: Date): Promise<void>
}
type Started = ModelReservation & Begun

/** One account, in the ledger and in the model, and what happens to both of them. */
class World {
  readonly model: LedgerModel
  readonly started: Started[] = []
  month = 0
  steps = 0
  readonly accountId: string
  readonly keys: { free: string; parent: string; child: string }
  readonly watchId = crypto.randomUUID()
  constructor(accountId: string, { tier, pricing }: { tier: Tier; pricing: Pricing }, keys: World['keys']) {
    this.accountId = accountId
    this.model = new LedgerModel(pricing)
    this.keys = keys
    this.model.tier = tier
  }

  now(monthsBehind = 0): Date {
    return momentIn(Math.max(0, this.month - monthsBehind), this.steps % 2 === 0)
  }

  /** A payer for the ledger and for the model. */
  payerOf(name: PayerName | null): { payer: Payer; spenders: ModelSpender[] } {
    const { free, parent, child } = this.keys
    const watch = { watchId: this.watchId, watchMonthlyCredits: budgets.watch }
    const ofParent = { name: `key_budget ${parent}`, budget: budgets.parent }
    const ofChild = [
      { name: `key ${child}`, budget: null },
      { name: `key_budget ${child}`, budget: budgets.child },
      ofParent,
    ]
    const ofWatch = { name: `watch ${this.watchId}`, budget: budgets.watch }
    switch (name) {
      case 'free key':
        // A caller may know that no budget bounds its key, or not.
        return {
          payer: { keyId: free, keyHasBudget: this.steps % 3 === 0 },
          spenders: [{ name: `key ${free}`, budget: null }],
        }
      case 'parent':
        return { payer: { keyId: parent }, spenders: [{ name: `key ${parent}`, budget: null }, ofParent] }
      case 'child':
        return { payer: { keyId: child }, spenders: ofChild }
      case 'watch':
        return { payer: { keyId: null, ...watch }, spenders: [ofWatch] }
      case 'child and watch':
        return { payer: { keyId: child, ...watch }, spenders: [...ofChild, ofWatch] }
      case 'person':
        return { payer: { keyId: null, personName: 'Ada' }, spenders: [{ name: 'person Ada', budget: null }] }
      default:
        return { payer: { keyId: null }, spenders: [] }
    }
  }

  async start(
    amount: number,
    { monthsBehind, payer: name = null }: { monthsBehind: number; payer?: PayerName | null },
    begin: (now: Date, payer: Payer) => Promise<Begun>,
  ): Promise<void> {
    const month = Math.max(0, this.month - monthsBehind)
    const { payer, spenders } = this.payerOf(name)
    const booked = this.model.reserve(amount, month, spenders)
    const begun = begin(this.now(monthsBehind), payer)
    if (typeof booked === 'object') return void this.started.push({ ...booked, ...(await begun) })
    if (booked === 'budget') {
      const reason = expect.stringMatching(/^(key|watch)_budget$/)
      return expect(begun).rejects.toMatchObject({ code: 'RATE_LIMITED', extras: { reason } })
    }
    const used = this.model.usedIn(month)
    const resets = momentIn(month + 1, false)
      .toISOString()
      .slice(0, 10)
    const message = `Credit limit exceeded (${used}/${this.model.pricing.plans[this.model.tier].creditsPerMonth}). Resets on ${resets}.`
    await expect(begun).rejects.toMatchObject({ code: 'RATE_LIMITED', message })
  }

  async end(step: Step & { which: number }): Promise<void> {
    const candidates = this.started.filter((reservation) => reservation.isOpen === (step.do !== 'end again'))
    const reservation = candidates[step.which % candidates.length]
    if (!reservation) return
    const amount = reservation.pool + reservation.payg
    const now = this.now()
    if (step.do === 'end again') return expect(reservation.end(0, now)).rejects.toThrow('not open')
    if (step.do === 'settle too much') return expect(reservation.end(amount + 1, now)).rejects.toThrow()
    const settled = Math.round(amount * ('share' in step ? step.share : 1))
    const ends = Array.from({ length: step.do === 'end' ? 1 : 2 }, () => reservation.end(settled, now))
    const outcomes = await Promise.allSettled(ends)
    expect(outcomes.filter((outcome) => outcome.status === 'fulfilled')).toHaveLength(1)
    this.model.close(reservation, settled, this.month)
  }

  /** Reserves again for a job or call with a reservation, open or closed, which must be refused. */
  async startAgain(which: number): Promise<void> {
    const reservation = this.started[which % this.started.length]
    if (!reservation) return
    const again = {
      ...reservation.cause,
      accountId: this.accountId,
      keyId: null,
      amount: 1,
      now: this.now(),
      pricing: this.model.pricing,
    }
    await expect(ledger.inTransaction((transaction) => reserve(transaction, again))).rejects.toThrow()
  }

  async run(step: Step): Promise<void> {
    const { accountId, model } = this
    const { pricing } = model
    this.steps++
    switch (step.do) {
      case 'start job': {
        const { depth, platforms } = step
        return this.start(depth * platforms, step, async (now, payer) => {
          const jobId = await ledger.startJob(accountId, { depth, platforms, now, pricing, ...payer })
          return { cause: { operation: 'scrape', jobId }, end: (settled, at) => ledger.endJob(jobId, settled, at) }
        })
      }
      case 'start call':
        return this.start(step.amount, step, async (now, payer) => {
          const callId = await ledger.startCall(accountId, step.amount, now, { ...payer, pricing })
          return { cause: { operation: 'expand', callId }, end: (settled, at) => ledger.endCall(callId, settled, at) }
        })
      case 'grant': {
        const grant = {
          accountId,
          pack: step.pack,
          credits: pricing.packs[step.pack].credits,
          cause: 'a test',
          now: this.now(),
        }
        model.grant(step.pack)
        const available = await ledger.inTransaction((transaction) => grantPack(transaction, grant))
        return expect(available).toBe(model.paygBalance - model.paygHeld)
      }
      case 'turn month':
        this.month += step.months
        return
      case 'set clock back':
        this.month = Math.max(0, this.month - step.months)
        return
      case 'change plan':
        model.tier = step.tier
        return void (await updateAccount(opened.database, accountId, { tier: step.tier }))
      case 'change cap':
        model.cap = step.cap
        return void (await updateAccount(opened.database, accountId, { paygMonthlyCap: step.cap }))
      case 'start again':
        return this.startAgain(step.which)
      default:
        return this.end(step)
    }
  }

  /** The balances are the model's, and nothing in the ledger contradicts anything. */
  async check(): Promise<void> {
    const { accountId, model } = this
    const booked = model.bookedIn(model.month)
    const balances = await opened.database
      .selectFrom('credit_balances')
      .selectAll()
      .where('account_id', '=', accountId)
      .executeTakeFirst()
    expect(balances).toMatchObject({
      month: monthOf(momentIn(model.month, false)),
      latest_month: monthOf(momentIn(model.latestMonth, false)),
      pool_held: booked.poolHeld,
      pool_settled: booked.poolSettled,
      payg_balance: model.paygBalance,
      payg_held: model.paygHeld,
      payg_month_used: booked.paygUsed,
    })
    await this.checkSpenders()
    expect(await verifyAccounts(opened.database, [accountId])).toEqual([])
  }

  /** The use of keys and watches is the model's, and each percent was told once. */
  async checkSpenders(): Promise<void> {
    const { accountId, model } = this
    const monthName = (month: number) => monthOf(momentIn(month, false))
    const spent = await opened.database
      .selectFrom('spender_months')
      .selectAll()
      .where('account_id', '=', accountId)
      .execute()
    const expected = [...model.spent].flatMap(([name, { held, settled }]) => {
      const [month, kind, id] = name.split(' ')
      return held + settled > 0 ? [[monthName(Number(month)), kind, id, held, settled] as const] : []
    })
    const stored = spent
      .filter(({ held, settled }) => held + settled > 0)
      .map(({ month, kind, spender_id, held, settled }) => [month, kind, spender_id, held, settled])
    const months = [...new Set(expected.map(([month]) => month))]
    const told = await Promise.all(
      months.map(async (month) => {
        const { keys, persons, watches } = await readSpending(opened.database, { accountId, ...monthPeriod(month) })
        return [
          ...keys.map(({ keyId, held, settled }) => [month, 'key', keyId, held, settled]),
          ...persons.map(({ personName, held, settled }) => [month, 'person', personName, held, settled]),
          ...watches.map(({ watchId, held, settled }) => [month, 'watch', watchId, held, settled]),
        ]
      }),
    )
    const ofBudgets = stored.filter(([, kind]) => kind === 'key_budget')
    expect([...ofBudgets, ...told.flat()].toSorted()).toEqual(expected.toSorted())
    expect(stored.toSorted()).toEqual(expected.filter(([, kind]) => kind !== 'key' && kind !== 'person').toSorted())
    const events = await opened.database
      .selectFrom('events')
      .select('subject')
      .where('account_id', '=', accountId)
      .execute()
    const noted = events.map(({ subject }) => `${subject.month} ${subject.percent}`)
    const alerts = [...model.alerts].map((alert) => {
      const [month, percent] = alert.split(' ')
      return `${monthName(Number(month))} ${percent}`
    })
    expect(noted.toSorted()).toEqual(alerts.toSorted())
  }

  /** Every reservation is one row of collections, and the rows of each month and each week are its total. */
  async checkCollections(): Promise<void> {
    const { accountId } = this
    const rows = await this.readAllCollections()
    const expected = this.started.map(({ cause, pool, payg, isOpen, settled }) => ({
      collectionId: 'jobId' in cause ? cause.jobId : cause.callId,
      operation: cause.operation,
      reserved: pool + payg,
      held: isOpen ? pool + payg : 0,
      settled,
      released: isOpen ? 0 : pool + payg - settled,
    }))
    const byId = (one: { collectionId: string }, other: { collectionId: string }) =>
      one.collectionId < other.collectionId ? -1 : 1
    expect(rows.toSorted(byId)).toMatchObject(expected.toSorted(byId))
    const month = monthPeriod(monthOf(this.now()))
    const use = (await readAccountUse(opened.database, [accountId], this.now())).get(accountId)
    const ofMonth = rows.filter(
      ({ startedAt }) => startedAt >= month.from.toISOString() && startedAt < month.until.toISOString(),
    )
    const { total, withoutKey, keys } = await readSpending(opened.database, { accountId, ...month })
    expect([sumOf(ofMonth), sumOf([...keys, withoutKey])]).toEqual([total, total])
    expect(use?.usedThisMonth).toBe(total.held + total.settled)
    const weeks = await readWeeklySpending(opened.database, { accountId, weeks: 53, now: this.now() })
    const byWeek = Map.groupBy(rows, ({ startedAt }) => weekOf(new Date(startedAt)))
    expect(weeks.map(({ held, settled }) => ({ held, settled }))).toEqual(
      weeks.map(({ week }) => sumOf(byWeek.get(week) ?? [])),
    )
  }

  async readAllCollections(): Promise<Collection[]> {
    const rows: Collection[] = []
    let cursor: string | null | undefined
    while (cursor !== null) {
      const asked = { accountId: this.accountId, limit: 3, cursor }
      const page = await readCollections(opened.database, asked)
      rows.push(...page.results)
      cursor = page.cursor
    }
    return rows
  }

  /** The usage that the account reads is exact. */
  async checkUsage(): Promise<void> {
    const { accountId, model } = this
    const limit = model.pricing.plans[model.tier].creditsPerMonth
    const used = model.usedIn(this.month)
    const resetsAt = momentIn(this.month + 1, false).toISOString()
    const held = model.bookedIn(this.month).poolHeld
    expect(await readUsage(opened.database, model.pricing, accountId, this.now())).toEqual({
      tier: model.tier,
      credits: { used, limit, remaining: Math.max(0, limit - used), held, resetsAt },
      paygBalance: model.paygBalance - model.paygHeld,
      paygMonthlyCap: model.cap,
    })
  }
}

it(`does what the model does, and is sound after every step, in ${runs} runs`, {
  timeout: Math.max(120_000, runs * 1_500),
}, async () => {
  console.log(`ledger property: seed ${seed} (set TEST_SEED to repeat it, LEDGER_RUNS for more runs)`)
  let steps = 0
  const property = fc.asyncProperty(
    beginning,
    fc.array(step, { minLength: 1, maxLength: 12 }),
    async (begin, script) => {
      const { tier, pack, left, pricing } = begin
      const accountId = await ledger.makeAccount(tier, momentIn(0, false))
      const parent = await ledger.makeKey(accountId, { monthlyCredits: budgets.parent })
      const keys = {
        free: await ledger.makeKey(accountId),
        parent,
        child: await ledger.makeKey(accountId, { monthlyCredits: budgets.child }, parent),
      }
      const world = new World(accountId, { tier, pricing }, keys)
      if (pack) await world.run({ do: 'grant', pack })
      const { creditsPerMonth } = pricing.plans[tier]
      if (left !== null && left < creditsPerMonth) {
        await world.run({ do: 'start call', amount: creditsPerMonth - left, monthsBehind: 0 })
      }
      for (const next of script) {
        await world.run(next)
        await world.check()
        await world.checkUsage()
        await world.checkCollections()
      }
      steps += world.steps
    },
  )
  await Promise.all(
    Array.from({ length: shards }, (_, shard) =>
      fc.assert(property, { seed: seed + shard, numRuns: Math.ceil(runs / shards) }),
    ),
  )
  console.log(`${steps} steps`)
})
