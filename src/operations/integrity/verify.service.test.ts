import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { openTestDatabase, type TestDatabase } from '../../../test/database.ts'
import { foundRequest } from '../../../test/scripted-platform.ts'
import { changeWishes, makeWish } from '../../../test/stored-wish.ts'
import type { PlatformName } from '../../database/column-types.ts'
import type { FoundRequest } from '../../platforms/platform.ts'
import { purgeRequests } from '../../requests/purge/purge.ts'
import { preparePage } from '../../requests/store/prepared-page.ts'
import { storePageAlone } from '../../requests/store/store.ts'
import { foldAllTopicCounts } from '../../requests/store/topic-counts.ts'
import { countTexts } from '../../requests/words/uncounted-texts.ts'
import type { Verified } from '../../requests/wrong-number.ts'
import { verifyVocabulary } from '../../search/verify.ts'
import { type DerivedPart, derivedParts, verifyDerived } from './routes.ts'

// Holds (Monitoring): verification finds wrong counts of topics, wishes and words, without false reports beside writes

let opened: TestDatabase
let account: string
beforeAll(async () => {
  opened = await openTestDatabase()
})
afterAll(() => opened.close())

async function store(topic: string, requests: FoundRequest[], platform: PlatformName = 'github') {
  const prepared = await preparePage(platform, { requests }, null)
  const page = { ...prepared, platform, jobId: null, topic, now: new Date('2026-11-21T12:00:00Z') }
  return storePageAlone(opened.database, page)
}

const requestOf = (number: number): FoundRequest =>
  foundRequest(`${number}`, {
    title: `Flower${number} of the garden`,
    description: `It grows in month${number % 12}, tall and red`,
    votes: (number * 7) % 31,
    tags: number % 2 === 0 ? ['even', 'flower'] : ['odd'],
    confidence: number % 5 === 0 ? 0.2 : 1,
    originalCreatedAt: new Date(Date.UTC(2026, number % 12, 1 + (number % 28))),
  })
const idOf = async (sourceId: string): Promise<string> =>
  (
    await opened.database
      .selectFrom('requests')
      .select('id')
      .where('source_id', '=', sourceId)
      .executeTakeFirstOrThrow()
  ).id

const verify = (part: DerivedPart): Promise<Verified> =>
  verifyDerived(opened.database, part, { backend: opened.backend, limit: 100 })
const verifyAll = async () =>
  Object.fromEntries(await Promise.all(derivedParts.map(async (part) => [part, (await verify(part)).wrong])))
const nothingWrong = { topics: [], wishes: [], vocabulary: [] }

/** Two topics, a wish of three requests, and an account that sees one request and two wishes differently. */
beforeEach(async () => {
  await opened.reset()
  await store(
    'flowers',
    Array.from({ length: 20 }, (_, number) => requestOf(number)),
  )
  await store(
    'gardens',
    Array.from({ length: 8 }, (_, number) => requestOf(number + 14)),
  )
  await store('flowers', [requestOf(100), requestOf(101)], 'hackernews')
  await countTexts(opened.database)
  // So that the tables have counts that can be damaged.
  await foldAllTopicCounts(opened.database)
  const { database } = opened
  const wish = await makeWish(database, [await idOf('1'), await idOf('2'), await idOf('3')])
  const { rows } = await sql<{ id: string }>`
    insert into accounts (name, tier, created_at) values ('a', 'max', now()) returning id`.execute(database)
  account = rows[0]!.id
  const [two, seven, eight, nine] = await Promise.all(['2', '7', '8', '9'].map(idOf))
  await changeWishes(database, async (transaction) => {
    await sql`insert into account_requests (account_id, request_id, standing) values (${account}, ${two}, 0)`.execute(
      transaction,
    )
    await sql`insert into account_wish_merges (account_id, wish_id, into_wish_id, correction_id)
      values (${account}, ${seven}, ${wish}, gen_random_uuid())`.execute(transaction)
    await sql`insert into account_wish_members (account_id, request_id, wish_id, correction_id)
      values (${account}, ${eight}, ${nine}, gen_random_uuid())`.execute(transaction)
  })
})

/** Changes rows as no code of the service does: no trigger runs. */
const damage = (...statements: string[]) =>
  opened.database.transaction().execute(async (transaction) => {
    await sql`select set_config('session_replication_role', 'replica', true)`.execute(transaction)
    for (const statement of statements) await sql.raw(statement).execute(transaction)
    await sql`select set_config('session_replication_role', 'origin', true)`.execute(transaction)
  })

describe('what is derived from the requests', () => {
  it('is right, also after changes and a purge', async () => {
    expect(await verifyAll()).toEqual(nothingWrong)
    await store('gardens', [{ ...requestOf(2), votes: 99, title: 'Another title' }, requestOf(200)])
    await purgeRequests(opened.database, {
      author: 'Ada Lovelace',
      platform: 'hackernews',
      suppress: false,
      dryRun: false,
      now: new Date(),
    })
    expect(await verifyAll()).toEqual(nothingWrong)
    await countTexts(opened.database)
    expect(await verifyAll()).toEqual(nothingWrong)
  })

  it.each<[what: string, part: DerivedPart, statements: string[], checks: string[]]>([
    [
      'the total of a topic',
      'topics',
      ["update topics set requests = requests + 1 where key = 'gardens'"],
      ['topic gardens: total'],
    ],
    [
      'the maybe count of a topic',
      'topics',
      ["update topics set maybe = maybe - 1 where key = 'flowers'"],
      ['topic flowers: maybe'],
    ],
    [
      'the votes of a topic on a platform',
      'topics',
      ["update topic_counts set votes = votes + 3 where topic_key = 'flowers' and value = 'hackernews'"],
      ['topic flowers: platform hackernews'],
    ],
    [
      'a lost tag of a topic',
      'topics',
      ["delete from topic_counts where topic_key = 'gardens' and value = 'odd'"],
      ['topic gardens: tag odd'],
    ],
    [
      'counts of a topic that is gone',
      'topics',
      ["insert into topic_counts (topic_key, kind, value, requests, votes) values ('zebras', 'tag', 'a', 1, 0)"],
      ['topic zebras: tag a'],
    ],
    [
      'a copy in a link',
      'topics',
      [
        "update request_topics set votes = -5 where topic_key = 'gardens' and request_id = (select id from requests where source_id = '21')",
      ],
      ['topic gardens: link ID'],
    ],
    ['the votes of a wish', 'wishes', ['update wishes set votes = votes + 1'], ['wish ID: votes']],
    [
      'the number of requests of a wish',
      'wishes',
      ['update wishes set requests = requests - 1'],
      ['wish ID: requests'],
    ],
    ['the platforms of a wish', 'wishes', ["update wishes set platforms = '{x}'"], ['wish ID: platforms']],
    [
      'a date of a wish',
      'wishes',
      ["update wishes set first_asked_at = first_asked_at - interval '1 second'"],
      ['wish ID: first'],
    ],
    [
      'the title of a wish',
      'wishes',
      ["update wishes set top_request_id = (select id from requests where source_id = '9')"],
      ['wish ID: top'],
    ],
    [
      'a wish that has a member too many',
      'wishes',
      [
        "update wish_members set wish_id = gen_random_uuid() where request_id = (select id from requests where source_id = '3')",
      ],
      ['requests', 'votes', 'last', 'top'],
    ],
    [
      'what an account sees of a wish',
      'wishes',
      ['update account_wishes set votes = votes + 1 where requests > 1'],
      ['wish ID of account ID: votes', 'wish ID of account ID: votes'],
    ],
    ['lost numbers of an account', 'wishes', ['delete from account_wishes where requests = 0'], ['requests']],
    [
      'a copy that wishes are counted from',
      'wishes',
      [
        "update request_facets set votes = votes + 1 where request_id = (select id from requests where source_id = '11')",
      ],
      ['request ID: copy in request_facets'],
    ],
    [
      'a copy that searches filter by',
      'wishes',
      [
        "update searchable_requests set standing = 0 where request_id = (select id from requests where source_id = '11')",
      ],
      ['request ID: copy in searchable_requests'],
    ],
    [
      'the count of a word',
      'vocabulary',
      ["update search_words set requests = requests + 2 where word = 'red'"],
      ['word red: requests'],
    ],
    ['a lost word', 'vocabulary', ["delete from search_words where word = 'flower11'"], ['word flower11: requests']],
    [
      'a word that no text has',
      'vocabulary',
      ["insert into search_words (word, requests) values ('zebra', 1)"],
      ['word zebra: requests'],
    ],
    [
      'a text that is taken for uncounted',
      'vocabulary',
      ["insert into uncounted_texts (request_id) select id from requests where source_id = '12'"],
      ['word flower12: requests'],
    ],
  ])('is reported where it is wrong: %s', async (_what, part, statements, checks) => {
    await damage(...statements)
    const { wrong, unchecked } = await verify(part)
    const found = wrong.map(({ subject, check }) =>
      `${subject}: ${check}`.replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, 'ID'),
    )
    for (const check of checks) expect(found).toContainEqual(expect.stringContaining(check))
    expect(unchecked).toBe(0)
    for (const other of derivedParts) if (other !== part) expect((await verify(other)).wrong).toEqual([])
  })

  it('is reported with the stored and the right number', async () => {
    await damage("update search_words set requests = 500 where word = 'tall'")
    expect((await verify('vocabulary')).wrong).toEqual([
      { subject: 'word tall', check: 'requests', stored: '500', expected: '24' },
    ])
  })

  it('is verified up to a number of differences, and no further when the caller is gone', async () => {
    await damage(
      'update search_words set requests = requests + 1',
      'update topics set votes = votes + 1',
      'update topic_counts set votes = 77',
    )
    for (const part of ['topics', 'vocabulary'] as const) {
      const { wrong } = await verifyDerived(opened.database, part, { backend: opened.backend, limit: 3 })
      expect(wrong).toHaveLength(3)
    }
    for (const part of derivedParts) {
      const signal = AbortSignal.abort(new Error('gone'))
      await expect(verifyDerived(opened.database, part, { backend: opened.backend, limit: 3, signal })).rejects.toThrow(
        'gone',
      )
    }
  })

  it('is verified in several passes where the vocabulary is large', async () => {
    await damage("update search_words set requests = requests + 1 where word in ('red', 'tall', 'flower3')")
    const options = { backend: opened.backend, limit: 100, maxInPass: 7 }
    const { wrong } = await verifyVocabulary(opened.database, options)
    expect(wrong.map(({ subject }) => subject).sort()).toEqual(['word flower3', 'word red', 'word tall'])
  })
})

describe('while others write', () => {
  /** Stores, changes and purges until the verification is over. */
  async function writeDuring<Result>(work: () => Promise<Result>): Promise<Result> {
    let isOver = false
    const write = async () => {
      for (let round = 0; !isOver; round++) {
        const requests = Array.from({ length: 10 }, (_, number) => ({
          ...requestOf(number),
          title: `Red title${round}`,
          votes: round,
        }))
        await store('flowers', requests)
        await countTexts(opened.database)
      }
    }
    const writing = write()
    const result = await work().finally(() => {
      isOver = true
    })
    await writing
    return result
  }

  it('nothing is reported to be wrong that is right', async () => {
    for (let round = 0; round < 5; round++) expect(await writeDuring(verifyAll)).toEqual(nothingWrong)
    const { wrong, unchecked } = await verify('vocabulary')
    expect([wrong, unchecked]).toEqual([[], 0])
  })

  it('a wrong number that stands still is found', async () => {
    await damage(
      "update search_words set requests = requests + 5 where word = 'flower15'",
      "update topics set maybe = 55 where key = 'gardens'",
    )
    const { topics, vocabulary }: Record<string, { subject: string }[]> = await writeDuring(verifyAll)
    expect(topics?.map(({ subject }) => subject)).toEqual(['topic gardens'])
    expect(vocabulary?.map(({ subject }) => subject)).toEqual(['word flower15'])
  })
})
