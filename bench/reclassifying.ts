import { parseArgs } from 'node:util'
import { sql } from 'kysely'
import { drawTexts } from '../src/requests/accuracy/draw.ts'
import { reclassifySlice, setStrictness } from '../src/requests/accuracy/reclassifying.ts'
import { firstId } from '../src/requests/corrections/corrections.ts'
import { thresholdsOf } from '../src/requests/detection/detect.ts'
import { preparePage } from '../src/requests/store/prepared-page.ts'
import { storePageAlone } from '../src/requests/store/store.ts'
import type { Strictness } from '../src/requests/views/strictness.ts'
import { foundRequest } from '../test/scripted-platform.ts'
import { followNewRequests } from '../test/stored-requests.ts'
import { openBenchDatabase } from './bench-database.ts'
import { medianOf, type Took, timed, worstOf } from './timing.ts'

// What labels and strictness cost: the first draw of a week, and, after an account was switched, deriving what it sees anew, slice by slice, and storing pages.
// Milliseconds: the median of the processor's, and the maximum by the clock (by the processor).
//   node bench/reclassifying.ts [--requests 100000] [--database-url postgres://…]

const { values } = parseArgs({
  options: { requests: { type: 'string', default: '100000' }, 'database-url': { type: 'string' } },
})
const size = Number(values.requests)
const { database, close } = await openBenchDatabase({ databaseUrl: values['database-url'] })
const { likely, maybe } = thresholdsOf('reddit')

/** Posts with confidences as those of social platforms: an eighth of them likely. */
async function fill(): Promise<void> {
  for (let from = 0; from < size; from += 5_000) {
    const { rows } = await sql<{ id: string }>`
      insert into requests (id, platform, source_id, title, description, votes, tags, source_url, topic, created_at, updated_at, confidence, standing)
      select gen_random_uuid(), 'reddit', number::text, 'Request number ' || number, repeat('A description of it. ', 30), number % 97, '{}',
        'https://example.org', 'bench', now(), now(), confidence, (confidence >= ${likely})::integer + (confidence >= ${maybe})::integer
      from generate_series(${sql.lit(from)}, ${sql.lit(Math.min(size, from + 5_000) - 1)}) as number,
        lateral (select power((number * 7919 % 10007) / 10007.0, 3)::real as confidence) as given
      returning id`.execute(database)
    await followNewRequests(
      database,
      rows.map(({ id }) => id),
    )
  }
  await sql`analyze`.execute(database)
}

const print = (name: string, took: readonly Took[]) =>
  console.log(`${name.padEnd(56)} ${String(medianOf(took)).padStart(8)} ${worstOf(took).padStart(12)}`)

async function makeAccount(): Promise<string> {
  const { rows } = await sql<{ id: string }>`
    insert into accounts (name, tier, created_at) values ('bench', 'max', now()) returning id`.execute(database)
  return rows[0]!.id
}

async function measureDraws(name: string, accounts: readonly string[]): Promise<void> {
  const took: Took[] = []
  for (const accountId of accounts) {
    await timed(took, () =>
      database.transaction().execute((transaction) => drawTexts(transaction, { accountId, now: new Date() })),
    )
  }
  print(name, took)
}

async function forget(drawn: readonly string[]): Promise<readonly string[]> {
  await sql`delete from label_draws`.execute(database)
  return drawn
}

async function measureSwitch(name: string, account: string, strictness: Strictness): Promise<void> {
  await setStrictness(database, account, strictness)
  const took: Took[] = []
  for (let more = true; more; ) more = await timed(took, () => reclassifySlice(database))
  print(`${name}: ${took.length} slices`, took)
  const { rows } = await sql<{ count: number }>`select count(*)::integer from account_requests`.execute(database)
  console.log(`  ${rows[0]!.count} differences, ${Math.round(took.reduce((sum, { ms }) => sum + ms, 0))} ms in all`)
}

/** What many accounts see that are switched at once. */
async function measureManySwitches(accounts: number): Promise<void> {
  for (let made = 0; made < accounts; made += 1) await setStrictness(database, await makeAccount(), 'strict')
  const took: Took[] = []
  for (let more = true; more; ) more = await timed(took, () => reclassifySlice(database))
  print(`${accounts} accounts become strict: ${took.length} slices`, took)
  console.log(`  ${Math.round(took.reduce((sum, { ms }) => sum + ms, 0))} ms in all`)
  await sql`update accounts set is_strict = false, reclassified_to = ${firstId}::uuid where is_strict`.execute(database)
  while (await reclassifySlice(database));
}

/** Pages of fifty new posts, with so many strict accounts. */
async function measurePages(accounts: number): Promise<void> {
  await sql`
    insert into accounts (name, tier, created_at, is_strict)
    select 'bench', 'max', now(), true from generate_series(1, ${sql.lit(accounts)})`.execute(database)
  const took: Took[] = []
  for (let page = 0; page < 20; page += 1) {
    const requests = Array.from({ length: 50 }, (_item, index) =>
      foundRequest(`${accounts} ${page} ${index}`, { confidence: Math.random() ** 3 }),
    )
    const prepared = await preparePage('reddit', { requests }, null)
    const found = { ...prepared, platform: 'reddit', topic: 'bench', jobId: null, now: new Date() }
    await timed(took, () => storePageAlone(database, found))
  }
  print(`a page of 50, ${accounts} more strict accounts`, took)
}

await fill()
const accounts = await Promise.all(Array.from({ length: 10 }, makeAccount))
const [account] = accounts as [string]
await measureDraws('first draw', accounts)
await measureSwitch('strict', account, 'strict')
await measureSwitch('as usual again', account, 'usual')
await measureSwitch('strict again', account, 'strict')
await measureDraws('first draw of the week, one account with differences', await forget([account]))
// So few texts may be requests that a draw has to read most of them to find some.
await sql`update request_facets set standing = 0 where standing = 1 and request_id::text not like '%000'`.execute(
  database,
)
await measureDraws('first draw, hardly any text of a class', await forget(accounts.slice(1)))
await measureDraws('first draw, the same with differences', await forget([account]))
for (const many of [10, 100]) await measureManySwitches(many)
for (const more of [0, 1, 99, 900]) await measurePages(more)
await close()
