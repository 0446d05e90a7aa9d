import { parseArgs } from 'node:util'
import { sql } from 'kysely'
import { refreshCopies } from '../src/requests/store/copies.ts'
import { sharedView } from '../src/requests/view.ts'
import { recount } from '../src/requests/wish-numbers/recount.ts'
import { openSearchIndex } from '../src/search/search-index.ts'
import type { About } from '../src/sharing/briefs/about.ts'
import { composeBrief } from '../src/sharing/briefs/compose.ts'
import type { ListView } from '../src/sharing/pages/view.ts'
import { wishOrders } from '../src/wishes/list/filters.ts'
import { listWishes } from '../src/wishes/list/list.ts'
import { followNewRequests, linkToTopics } from '../test/stored-requests.ts'
import { changeWishes } from '../test/stored-wish.ts'
import { openBenchDatabase } from './bench-database.ts'
import { medianOf, type Took, timed, worstOf } from './timing.ts'

// What the numbers of wishes cost, embedded: changing the votes of 100 requests that are in no wish, in wishes of 4, and in one wish of
// 1,000, with and without the triggers; a page of the list in each order, with filters, and
// briefs. Milliseconds: the median of the processor's,
// and the maximum by the clock (by the processor).
//   node bench/wish-numbers.ts [--requests 100000] [--rounds 15]

const { values } = parseArgs({
  options: { requests: { type: 'string', default: '100000' }, rounds: { type: 'string', default: '15' } },
})
const size = Number(values.requests)
const rounds = Number(values.rounds)
const { database, close } = await openBenchDatabase()

const idOf = (number: unknown) => sql`md5(${number}::text)::uuid`

/** Of a hundred requests 60 are alone, 30 in wishes of 4 or so; the first thousand are one wish. */
async function fill(): Promise<void> {
  await sql`insert into topics (key, name, created_at) values ('bench', 'bench', now())`.execute(database)
  for (let from = 0; from < size; from += 5_000) {
    const numbers = sql`generate_series(${sql.lit(from)}, ${sql.lit(from + 4_999)}) as number`
    await sql`
      insert into requests (confidence, id, platform, source_id, title, description, votes, tags, source_url, topic, voice, original_created_at,
        created_at, updated_at, status)
      select 1, ${idOf(sql.ref('number'))}, (array['github', 'hackernews', 'gitlab'])[number % 3 + 1], number::text,
        'Request number ' || number, repeat('A description of it. ', 30), (number * 7919) % 997, '{}', 'https://example.org', 'bench',
        '\\x14'::bytea || substr(sha256(number::text::bytea), 1, 6) || sha512((number || 'a')::bytea) || substr(sha512((number || 'b')::bytea), 1, 16),
        now() - (number % 3000) * interval '1 day', now() - interval '60 days', now(), case when number % 5 = 0 then 'open' end
      from ${numbers}`.execute(database)
    const { rows } = await sql<{ id: string; is_linked: boolean }>`
      select id, number % 10 = 0 and number < 40000 as is_linked from ${numbers}, lateral (select ${idOf(sql.ref('number'))} as id) as made`.execute(
      database,
    )
    await followNewRequests(
      database,
      rows.map(({ id }) => id),
    )
    await linkToTopics(
      database,
      new Map(rows.flatMap(({ id, is_linked }) => (is_linked ? [[id, 'bench'] as const] : []))),
    )
  }
  await sql`
    create temporary table placed as select number, ${idOf(sql.ref('number'))} as id,
      ${idOf(sql`case when number < 1000 then 0 else number - number % 10 + number % 3 end`)} as wish_id
    from generate_series(0, ${sql.lit(size - 1)}) as number where number < 1000 or number % 10 < 4`.execute(database)
  await sql`insert into wishes (id) select distinct wish_id from placed`.execute(database)
  for (let from = 0; from < size; from += 5_000) {
    await sql`insert into wish_members (request_id, wish_id, is_core)
      select id, wish_id, id = wish_id from placed where number >= ${from} and number < ${from + 5_000}`.execute(
      database,
    )
  }
  await changeWishes(database, async () => {})
  await sql`insert into vote_samples (request_id, day, votes)
    select ${idOf(sql.ref('number'))}, current_date - 3, 1 from generate_series(0, ${sql.lit(size - 1)}, 40) as number`.execute(
    database,
  )
  await sql`analyze`.execute(database)
}

async function measure(name: string, run: () => Promise<unknown>): Promise<void> {
  const took: Took[] = []
  for (let round = 0; round < rounds; round++) await timed(took, run)
  console.log(`${name.padEnd(56)} ${String(medianOf(took)).padStart(8)} ${worstOf(took).padStart(12)}`)
}

/** Other votes for a hundred requests, as a page of a platform brings them. */
const changeVotes = (numbers: string, isCounted: boolean) => (): Promise<void> =>
  database.transaction().execute(async (transaction) => {
    const { rows } = await sql<{ id: string }>`update requests set votes = votes + 1
      where id = any(array(select ${idOf(sql.ref('number'))} from ${sql.raw(numbers)} as chosen (number))) returning id`.execute(
      transaction,
    )
    await refreshCopies(
      transaction,
      rows.map(({ id }) => id),
    )
    if (isCounted) await recount(transaction, { requests: rows.map(({ id }) => id) })
  })

const votesOf = {
  alone: '(select 5000 + 10 * n + 6 from generate_series(0, 99) as n)',
  'in wishes of 4': '(select 5000 + 10 * n + 1 from generate_series(0, 99) as n)',
  'in one wish of 1,000': '(select n from generate_series(0, 99) as n)',
}

await fill()
const now = new Date()
const list = (input: Partial<Parameters<typeof listWishes>[1]>) => () =>
  listWishes(database, { sortBy: 'votes', limit: 20, view: sharedView, now, ...input })

for (const [name, numbers] of Object.entries(votesOf)) {
  await measure(`votes of 100, ${name}, without counting wishes`, changeVotes(numbers, false))
  await measure(`votes of 100, ${name}`, changeVotes(numbers, true))
}
for (const sortBy of wishOrders) await measure(`list by ${sortBy}`, list({ sortBy }))
await measure('list by votes, 100 wishes', list({ limit: 100 }))
await measure('list by votes, on GitLab', list({ platforms: ['gitlab'] }))
await measure('list by votes, status planned (none)', list({ status: ['planned'] }))
await measure('list by votes, a topic of 4,000', list({ topic: 'bench' }))
const about = (view: ListView): About => ({
  view,
  shown: { topic: null, query: null, filters: null, since: null, until: null },
})
const compose = (of: About) => () =>
  composeBrief(
    { account: { accountId: '', hasOwnView: false }, about: of, question: null, now },
    { database, searchIndex },
  )
const searchIndex = await openSearchIndex(database)
await measure('brief of a topic of 4,000', compose(about({ filters: { topic: 'bench' } })))
await measure('brief of GitLab, a third of all', compose(about({ filters: { platforms: ['gitlab'] } })))
await measure('brief of a search that all match', compose(about({ query: 'description' })))
await close()
