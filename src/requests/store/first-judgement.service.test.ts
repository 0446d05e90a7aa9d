import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { campaignSize } from '../../../test/campaign-size.ts'
import { startTestService, type TestService } from '../../../test/service.ts'
import { detect } from '../../detection/detect.ts'
import { generateRecord } from '../../platform-simulator/records.ts'
import { findWrongCounts } from '../../topics/verify.ts'
import { correctionHash, standingOfConfidence } from '../views/standings.ts'
import { createFirstJudgements, judgeStoredRequests } from './first-judgement.ts'

// JUDGED_ROWS=100000 prints how long judging all takes, and how long callers wait meanwhile.

const amount = campaignSize('JUDGED_ROWS', { quick: 600, nightly: 100_000 })
let service: TestService

beforeAll(async () => {
  service = await startTestService({ platforms: new Map() })
})
afterAll(() => service.stop())
beforeEach(() => service.reset())

const platforms = ['github', 'hackernews', 'stackexchange']
const chatter = 'Crash at start. Steps to reproduce: open the app. Expected: no crash. Stack trace below.'

/** Every third text is no wish. */
function textOf(index: number) {
  const platform = platforms[index % platforms.length]!
  const { title, body } = generateRecord({ seed: 1, place: platform, topic: 'dark mode', index })
  const clean = (text: string) => text.replaceAll('\0', '').toWellFormed()
  const description = index % 2 === 0 ? clean(body ?? '') : chatter
  const tags =
    platform === 'stackexchange' && index % 4 === 0 ? ['status-declined'] : index % 9 === 0 ? ['planned'] : []
  return {
    platform,
    source_id: String(index),
    title: index % 2 === 0 ? clean(title) : 'App crashes',
    description,
    tags,
  }
}

/** Rows as version 1 stored them, with their texts and topics, after the migration. */
async function storeAsVersion1(rows: number): Promise<void> {
  await sql`insert into topics (key, name, created_at) values ('dark mode', 'dark mode', now())`.execute(
    service.database,
  )
  for (let start = 0; start < rows; start += 1_000) {
    const texts = Array.from({ length: Math.min(1_000, rows - start) }, (_, index) => textOf(start + index))
    await sql`
      with incoming as (
        select * from jsonb_to_recordset(${JSON.stringify(texts)}::jsonb)
          as incoming (platform text, source_id text, title text, description text, tags jsonb)
      ), stored as (
        insert into requests (platform, source_id, title, description, votes, tags, source_url, topic, created_at, updated_at)
        select platform, source_id, title, description, 1, array(select jsonb_array_elements_text(tags)), '', 'dark mode', now(), now()
        from incoming returning id, title, description
      ), texts as (
        insert into request_texts (request_id, text) select id, left(title || ' ' || description, 5000) from stored
      )
      insert into request_topics (request_id, topic_key, found_at) select id, 'dark mode', now() from stored`.execute(
      service.database,
    )
  }
}

const quantile = (values: readonly number[], part: number) =>
  [...values].sort((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * part))] ?? 0
const rounded = (ms: number) => Math.round(ms * 10) / 10

/** Calls again and again until `stop`. @returns how long each call took, in ms. */
function repeat(call: () => Promise<unknown>) {
  const latencies: number[] = []
  let running = true
  const ended = (async () => {
    while (running) {
      const startedAt = performance.now()
      await call()
      latencies.push(performance.now() - startedAt)
    }
  })()
  return async () => {
    running = false
    await ended
    return latencies
  }
}

it('requests of version 1 get a confidence, a class and a status while the service serves', {
  timeout: 3_600_000,
}, async () => {
  await storeAsVersion1(amount)
  const search = () => service.client.search('"dark mode"', { limit: 10 })
  const stopSearching = repeat(async () => expect((await search()).status).toBe(200))
  // In the embedded backend a statement waits for the transaction under way.
  const stopWaiting = repeat(() => sql`select 1`.execute(service.database))
  const startedAt = performance.now()
  await createFirstJudgements(service.database, { error: (failure: unknown) => expect.fail(String(failure)) }).run()
  const tookMs = performance.now() - startedAt
  const [searches, waits] = [await stopSearching(), await stopWaiting()]
  console.log(`judged ${amount} requests`, {
    seconds: rounded(tookMs / 1_000),
    longestWaitMs: rounded(quantile(waits, 1)),
    waitP99Ms: rounded(quantile(waits, 0.99)),
    searches: searches.length,
    searchP50Ms: rounded(quantile(searches, 0.5)),
    searchP99Ms: rounded(quantile(searches, 0.99)),
  })
  expect(await findWrongCounts(service.database)).toEqual([])
  const { rows } = await sql<{ source_id: string; confidence: number; standing: number; status: string | null }>`
    select source_id, confidence, standing, status from requests`.execute(service.database)
  expect(rows).toHaveLength(amount)
  for (const { source_id, confidence, standing, status } of rows.slice(0, 2_000)) {
    const text = textOf(Number(source_id))
    const judged = detect(text)
    expect({ source_id, confidence }).toEqual({ source_id, confidence: expect.closeTo(judged.confidence, 5) })
    expect(standing).toBe(standingOfConfidence(judged.confidence, text.platform))
    const planned = text.tags.includes('planned')
    const declined = text.tags.includes('status-declined') ? 'declined' : null
    expect(status).toBe(text.platform === 'github' ? (planned ? 'planned' : 'open') : declined)
  }
  expect(new Set(rows.map(({ standing }) => standing))).toContain(0)
  const { body } = await search()
  expect(body.data.results.length).toBeGreaterThan(0)
})

it('several processes judge each request once', async () => {
  await storeAsVersion1(300)
  const writes = new Map<string, number>()
  await sql`create table judged_writes (id uuid)`.execute(service.database)
  await sql`create function note_judgement() returns trigger language plpgsql as $$
    begin insert into judged_writes values (new.id); return null; end $$`.execute(service.database)
  await sql`create trigger note_judgement after update of confidence on requests
    for each row execute function note_judgement()`.execute(service.database)
  const drain = async () => {
    while (await judgeStoredRequests(service.database, 50));
  }
  await Promise.all([drain(), drain(), drain()])
  const { rows } = await sql<{ id: string }>`select id from judged_writes`.execute(service.database)
  await sql`drop function note_judgement() cascade`.execute(service.database)
  await sql`drop table judged_writes`.execute(service.database)
  for (const { id } of rows) writes.set(id, (writes.get(id) ?? 0) + 1)
  expect(writes.size).toBe(300)
  expect(new Set(writes.values())).toEqual(new Set([1]))
})

it('begins with the maintenance, which does not wait for it, and goes on to the end', async () => {
  await storeAsVersion1(250)
  await service.runMaintenance()
  const left = async () => {
    const { rows } = await sql`select 1 from requests where confidence is null`.execute(service.database)
    return rows.length
  }
  await expect.poll(left).toBe(0)
})

it('a correction before the judgement stays', async () => {
  await storeAsVersion1(2)
  await sql`
    insert into request_corrections (account_id, platform, source_hash, is_request, made_by, created_at)
    values (null, 'hackernews', ${correctionHash('hackernews', '1')}, true, 'admin', now())`.execute(service.database)
  while (await judgeStoredRequests(service.database));
  const { rows } = await sql<{ standing: number }>`select standing from requests where source_id = '1'`.execute(
    service.database,
  )
  expect(rows).toEqual([{ standing: 2 }])
})
