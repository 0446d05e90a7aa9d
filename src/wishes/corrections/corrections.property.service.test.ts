import fc from 'fast-check'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { campaignSize } from '../../../test/campaign-size.ts'
import { emptyDatabase } from '../../../test/database.ts'
import { foundRequest } from '../../../test/scripted-platform.ts'
import { startTestService, type TestService } from '../../../test/service.ts'
import { createAccount } from '../../accounts/accounts.ts'
import { ServiceError } from '../../http/errors.ts'
import { deleteAlone } from '../../requests/store/delete.ts'
import { preparePage } from '../../requests/store/prepared-page.ts'
import { storePageAlone } from '../../requests/store/store.ts'
import { readWishIds } from '../../requests/wish-numbers/numbers.ts'
import { mergeWishes, splitWish } from './corrections.ts'
import { undoWishCorrection } from './undo.ts'

// Holds (Search, lists and export): in every view a request's wish follows from the merges and splits in force, through undo, expiry and re-collection

// Takes seconds: a run compares three views after each of its steps.

// Random merges, splits and undoings of the operator and two accounts, with requests that are deleted and collected again. After each
// step every view has exactly the wishes that a plain model says; a third account never sees anything but the shared ones.
// TEST_SEED repeats a run, WISH_CORRECTIONS_RUNS=500 makes it a long one.

const runs = campaignSize('WISH_CORRECTIONS_RUNS', { quick: 5, nightly: 150 })
const seed = Number(process.env.TEST_SEED ?? Math.trunc(Math.random() * 2 ** 31))
const sources = ['a', 'b', 'c', 'd', 'e', 'f']

type Owner = 0 | 1 | 2
type Step =
  | { what: 'merge'; owner: Owner; into: string; from: string }
  | { what: 'split'; owner: Owner; taken: string[] }
  | { what: 'undo'; index: number }
  | { what: 'recollect'; chosen: string[] }

/** 0 is the operator. */
const owner = fc.constantFrom<Owner>(0, 0, 1, 2)
const source = fc.constantFrom(...sources)
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ what: fc.constant('merge' as const), owner, into: source, from: source }) },
  {
    weight: 2,
    arbitrary: fc.record({
      what: fc.constant('split' as const),
      owner,
      taken: fc.subarray(sources, { minLength: 1, maxLength: 2 }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ what: fc.constant('undo' as const), index: fc.nat(20) }) },
  {
    weight: 2,
    arbitrary: fc.record({ what: fc.constant('recollect' as const), chosen: fc.subarray(sources, { minLength: 1 }) }),
  },
)

interface Said {
  owner: Owner
  kind: 'merge' | 'split'
  from: string
  to: string
  /** Where each request was that it is about, in the wishes of the model. */
  wasIn: Map<string, string>
  correctionId: string
}

/** What must be seen: everything is replayed from the beginning for each answer. */
function createModel() {
  let said: Said[] = []
  const bases = new Map(sources.map((name) => [name, `${name} 0`]))
  let made = 0
  const resultOf = (view: Owner, wish: string): string => {
    const into = new Map<string, string>()
    const find = (one: string): string => (into.has(one) ? find(into.get(one)!) : one)
    for (const { owner, kind, from, to } of said) {
      if (kind !== 'merge' || (owner !== 0 && owner !== view)) continue
      if (find(from) !== find(to)) into.set(find(from), find(to))
    }
    return find(wish)
  }
  const about = (owner: Owner, name: string) => said.filter((one) => one.owner === owner && one.wasIn.has(name))
  const startOf = (owner: Owner, name: string): string | undefined => {
    const facts = about(owner, name)
    return facts.findLast(({ kind }) => kind === 'split')?.to ?? facts[0]?.wasIn.get(name)
  }
  const wishOf = (view: Owner, name: string): string => {
    const shared = resultOf(0, startOf(0, name) ?? bases.get(name)!)
    if (view === 0) return shared
    const own = startOf(view, name)
    return resultOf(view, own ?? shared)
  }
  const membersOf = (view: Owner, wish: string) => sources.filter((name) => wishOf(view, name) === wish)
  return {
    wishOf,
    membersOf,
    merge(owner: Owner, from: string, to: string, correctionId: string) {
      const wasIn = new Map<string, string>()
      for (const name of membersOf(owner, from)) wasIn.set(name, from)
      for (const name of membersOf(owner, to)) wasIn.set(name, to)
      said.push({ owner, kind: 'merge', from, to, wasIn, correctionId })
    },
    split(owner: Owner, from: string, taken: readonly string[], correctionId: string) {
      const wasIn = new Map(taken.map((name) => [name, from]))
      said.push({ owner, kind: 'split', from, to: `new ${made++}`, wasIn, correctionId })
    },
    correctionAt: (index: number) => said[index % Math.max(said.length, 1)],
    undo(undone: Said) {
      const later = said.slice(said.indexOf(undone) + 1)
      for (const [name, wish] of undone.wasIn) {
        const next = later.find((one) => one.owner === undone.owner && one.wasIn.has(name))
        if (next) next.wasIn.set(name, wish)
        else if (undone.owner === 0 && about(0, name).length === 1) bases.set(name, wish)
      }
      said = said.filter((one) => one !== undone)
    },
    recollect(names: readonly string[]) {
      for (const name of names) if (about(0, name).length === 0) bases.set(name, `${name} ${++made}`)
    },
    wishesIn: (view: Owner) =>
      [...Map.groupBy(sources, (name) => wishOf(view, name)).values()].map((names) => names.join('')).sort(),
  }
}

let service: TestService
beforeAll(async () => {
  service = await startTestService()
})
afterAll(() => service.stop())

async function store(names: readonly string[]): Promise<void> {
  const requests = names.map((name) => foundRequest(name, { title: name, description: '', votes: 1, confidence: 1 }))
  const prepared = await preparePage('github', { requests }, null)
  await storePageAlone(service.database, {
    ...prepared,
    platform: 'github',
    topic: 'maps',
    jobId: null,
    now: new Date(),
  })
}

async function prepare(): Promise<string[]> {
  const { database } = service
  await emptyDatabase(database)
  await store(sources)
  const accounts: string[] = []
  for (const name of ['one', 'two', 'three'])
    accounts.push(await createAccount(database, { name, tier: 'max', now: new Date() }))
  return accounts
}

async function readWishes(account: string | null): Promise<{ wishes: Map<string, string>; ids: Map<string, string> }> {
  const rows = await service.database.selectFrom('requests').select(['id', 'source_id']).execute()
  const read = await readWishIds(
    service.database,
    rows.map(({ id }) => id),
    { account, least: 2 },
  )
  return {
    wishes: new Map(rows.map(({ id, source_id }) => [source_id, read.get(id)!])),
    ids: new Map(rows.map(({ id, source_id }) => [source_id, id])),
  }
}

const groupsOf = (wishes: ReadonlyMap<string, string>) =>
  [...Map.groupBy(sources, (name) => wishes.get(name)).values()].map((names) => names.join('')).sort()

type Model = ReturnType<typeof createModel>

async function take(step: Step, model: Model, accounts: readonly string[]): Promise<void> {
  const { database } = service
  const correctorOf = (owner: Owner) => ({
    accountId: owner === 0 ? null : accounts[owner - 1]!,
    madeBy: 'admin',
    now: new Date(),
  })
  if (step.what === 'recollect') {
    const gone = sql<{ id: string }>`
      select id from requests where source_id = any(${step.chosen}::text[]) order by platform, source_id for update`
    await deleteAlone(database, gone)
    await store(step.chosen)
    return model.recollect(step.chosen)
  }
  if (step.what === 'undo') {
    const chosen = model.correctionAt(step.index)
    if (!chosen) return
    const { correctionId, owner } = chosen
    const undo = database
      .transaction()
      .execute((transaction) => undoWishCorrection(transaction, correctionId, correctorOf(owner)))
    expect(await undo).toBe(true)
    return model.undo(chosen)
  }
  const corrector = correctorOf(step.owner)
  const { wishes, ids } = await readWishes(corrector.accountId)
  if (step.what === 'merge') {
    const [from, to] = [model.wishOf(step.owner, step.from), model.wishOf(step.owner, step.into)]
    const merge = database.transaction().execute((transaction) =>
      mergeWishes(transaction, {
        ...corrector,
        fromWishId: wishes.get(step.from)!,
        toWishId: wishes.get(step.into)!,
      }),
    )
    if (from === to) await expect(merge).rejects.toThrow(ServiceError)
    else model.merge(step.owner, from, to, await merge)
    return
  }
  const wish = model.wishOf(step.owner, step.taken[0]!)
  const members = model.membersOf(step.owner, wish)
  const split = database.transaction().execute((transaction) =>
    splitWish(transaction, {
      ...corrector,
      wishId: wishes.get(step.taken[0]!)!,
      requestIds: step.taken.map((name) => ids.get(name)!),
    }),
  )
  const isPossible = step.taken.every((name) => members.includes(name)) && members.length > step.taken.length
  if (isPossible) model.split(step.owner, wish, step.taken, (await split).correctionId)
  else await expect(split).rejects.toThrow(ServiceError)
}

async function checkDerived(accounts: readonly string[]): Promise<void> {
  const { database } = service
  const { rows: cores } = await sql`
    select wish_id from wish_members group by wish_id having count(*) filter (where is_core) <> 1`.execute(database)
  expect(cores).toEqual([])
  const { rows: chains } = await sql`
    select from account_wish_merges as one join account_wish_merges as next
      on next.account_id = one.account_id and next.wish_id = one.into_wish_id`.execute(database)
  expect(chains).toHaveLength(0)
  const { rows: counts } = await sql<{ id: string; wrong: boolean }>`
    select id, corrections <> (select count(*) from wish_corrections where account_id = accounts.id and undone_at is null) as wrong
    from accounts where id = any(${accounts}::uuid[])`.execute(database)
  expect(counts.filter(({ wrong }) => wrong)).toEqual([])
}

/** An undone merge of the operator parts the wish of an account's split from the one in which its first merge began. */
const partedByTheOperator: Step[] = [
  { what: 'merge', owner: 0, into: 'e', from: 'f' },
  { what: 'merge', owner: 1, into: 'c', from: 'f' },
  { what: 'merge', owner: 0, into: 'a', from: 'c' },
  { what: 'split', owner: 1, taken: ['e'] },
  { what: 'undo', index: 2 },
  { what: 'undo', index: 2 },
]

it('every view has the wishes that follow from what holds in it', { timeout: 600_000 }, async () => {
  const property = fc.asyncProperty(fc.array(step, { minLength: 8, maxLength: 25 }), async (steps) => {
    const accounts = await prepare()
    const model = createModel()
    for (const one of steps) {
      await take(one, model, accounts)
      for (const view of [0, 1, 2] as const) {
        const { wishes } = await readWishes(view === 0 ? null : accounts[view - 1]!)
        expect(groupsOf(wishes), `view ${view}`).toEqual(model.wishesIn(view))
      }
      expect(groupsOf((await readWishes(accounts[2]!)).wishes)).toEqual(model.wishesIn(0))
    }
    await checkDerived(accounts)
  })
  await fc.assert(property, {
    seed,
    numRuns: runs,
    examples: [[partedByTheOperator]],
    endOnFailure: process.env.SHRINK !== '1',
  })
})
