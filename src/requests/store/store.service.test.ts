import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { openTestDatabase, type TestDatabase } from '../../../test/database.ts'
import { foundRequest } from '../../../test/scripted-platform.ts'
import type { FoundRequest, Page } from '../../platforms/platform.ts'
import { reclassifySlice, setStrictness } from '../accuracy/reclassifying.ts'
import { storeChores } from '../judging/claims.ts'
import type { Strictness } from '../views/strictness.ts'
import { deleteAlone } from './delete.ts'
import { preparePage } from './prepared-page.ts'
import { correctionHash, judgedTextHash, recomputeStandings } from './standings.ts'
import { storePageAlone } from './store.ts'
import { foldAllTopicCounts } from './topic-counts.ts'

// Holds (Search, lists and export): a correction applies again when a deleted request returns
// Holds (Search, lists and export): a request from accounts' sources is visible only to accounts that named one, until an operator's source has it
// Holds (Search, lists and export): a request has at most one vote sample per UTC day, and a base for growth
// Holds (Search, lists and export): a strict account's own threshold covers stored and new requests; corrections win
// Holds (Data): a request that becomes listed reveals nothing about the account that collected it
// Holds (Search, lists and export): without votes, reviews with fewer stars come first, unrated ones last
// Holds (Platforms): an excerpt never replaces a whole stored text

let opened: TestDatabase
let account: string
let jobId: string
let now: Date

beforeAll(async () => {
  opened = await openTestDatabase()
})
afterAll(() => opened.close())
beforeEach(async () => {
  await opened.reset()
  now = new Date('2026-06-01T10:00:00Z')
  account = await makeAccount()
  const job = { account_id: account, topic: 'dark mode', depth: 1, created_at: now }
  jobId = (await opened.database.insertInto('scrape_jobs').values(job).returning('id').executeTakeFirstOrThrow()).id
})

async function makeAccount(): Promise<string> {
  const values = { name: 'test', tier: 'max' as const, created_at: now }
  return (await opened.database.insertInto('accounts').values(values).returning('id').executeTakeFirstOrThrow()).id
}

type Fetched = Partial<Pick<Page, 'requests' | 'incomplete' | 'offTopic'>>

async function store(fetched: Fetched, topic = 'dark mode', platform = 'github') {
  const prepared = await preparePage(platform, { requests: [], ...fetched }, null)
  return storePageAlone(opened.database, { ...prepared, platform, topic, jobId, now })
}

const deleteAll = () => deleteAlone(opened.database, sql<{ id: string }>`select id from requests for update`)

/** A request whose class follows from its text and labels. */
function undecided(sourceId: string, fields: Partial<FoundRequest>): FoundRequest {
  const { confidence: _, ...request } = foundRequest(sourceId, fields)
  return request
}

const one = (fields: Partial<FoundRequest> = {}) => ({ requests: [foundRequest('1', fields)] })
const row = (sourceId = '1') =>
  opened.database.selectFrom('requests').selectAll().where('source_id', '=', sourceId).executeTakeFirst()
const standing = async (sourceId = '1') => (await row(sourceId))?.standing
const topic = async () => {
  await foldAllTopicCounts(opened.database)
  return opened.database.selectFrom('topics').select(['requests', 'votes', 'maybe']).executeTakeFirst()
}
const views = async () => {
  const { rows } = await sql<{ view: string }>`
    select account_id || ' ' || source_id || ' ' || own.standing as view
    from account_requests as own join requests on requests.id = request_id order by 1`.execute(opened.database)
  return rows.map(({ view }) => view)
}

/** Corrects a request as the routes of corrections do. */
const correct = (accountId: string | null, isRequest: boolean, sourceId = '1') =>
  opened.database.transaction().execute(async (transaction) => {
    await sql`
      insert into request_corrections (account_id, platform, source_hash, is_request, made_by, created_at)
      values (${accountId}, 'github', ${correctionHash('github', sourceId)}, ${isRequest}, 'admin', ${now})`.execute(
      transaction,
    )
    const known = await transaction.selectFrom('requests').select('id').where('source_id', '=', sourceId).execute()
    await recomputeStandings(
      transaction,
      known.map(({ id }) => id),
    )
  })

const nameSource = (accountId: string, source: string) =>
  sql`insert into account_sources values (${accountId}, 'github', ${source}, ${now})`.execute(opened.database)

describe('the class of a stored request', () => {
  const wish = {
    title: 'Feature request: support dark mode in the editor',
    description: 'It would be great if the editor had a dark mode. Please add an option for it.',
  }
  const chatter = {
    tags: ['bug'],
    title: 'Crash at start: TypeError',
    description: 'Steps to reproduce: open the app. Stack trace below. Expected: no crash.',
  }

  it('follows from its text and labels', async () => {
    expect(await store({ requests: [undecided('1', wish), undecided('2', chatter)] })).toMatchObject({
      found: 2,
      created: 1,
    })
    expect(await row('1')).toMatchObject({ standing: 2 })
    expect((await row('1'))?.confidence).toBeGreaterThan(0.5)
    expect(await standing('2')).toBe(0)
  })

  it('changes with its text', async () => {
    await store({ requests: [undecided('1', wish)] })
    await store({ requests: [undecided('1', chatter)] })
    expect(await standing()).toBe(0)
    expect(await topic()).toEqual({ requests: 0, votes: 0, maybe: 0 })
    await store({ requests: [undecided('1', wish)] })
    expect(await standing()).toBe(2)
    expect(await topic()).toEqual({ requests: 1, votes: 1, maybe: 0 })
  })

  it('counts the likely and the ones that may be requests apart', async () => {
    const requests = [0, 0.2, 0.3, 1].map((confidence, index) => foundRequest(String(index), { confidence }))
    const { created, maybeCreated, found } = await store({ requests })
    const counts = await topic()
    expect({ found, created, maybeCreated }).toEqual({
      found: 4,
      created: counts?.requests,
      maybeCreated: counts?.maybe,
    })
    expect(maybeCreated).toBeGreaterThan(0)
    expect(await store({ requests })).toMatchObject({ found: 4, created: 0, maybeCreated: 0 })
  })

  it('is that of a model while the text is the judged one', async () => {
    const text = { title: 'Maybe', description: 'a wish', confidence: 0 }
    await store(one(text))
    const { id } = (await row())!
    await sql`insert into request_judgements values (${id}, ${judgedTextHash(text)}, 1, ${now})`.execute(
      opened.database,
    )
    await opened.database.transaction().execute((transaction) => recomputeStandings(transaction, [id]))
    expect(await standing()).toBe(2)
    await store(one({ ...text, votes: 9 }))
    expect(await standing()).toBe(2)
    await store(one({ ...text, description: 'no wish' }))
    expect(await standing()).toBe(0)
  })

  it('is what the operator says, also after deletion and collection', async () => {
    await store(one({ confidence: 1 }))
    await correct(null, false)
    expect(await standing()).toBe(0)
    await store(one({ confidence: 1, title: 'Other' }))
    expect(await standing()).toBe(0)
    await deleteAll()
    expect(await store(one({ confidence: 1 }))).toMatchObject({ found: 1, created: 0, maybeCreated: 0 })
    expect(await standing()).toBe(0)
    expect(await views()).toEqual([])
  })

  it('differs for an account that corrected it, as long as the shared view says otherwise', async () => {
    await store(one({ confidence: 0 }))
    await correct(account, true)
    expect(await standing()).toBe(0)
    expect(await views()).toEqual([`${account} 1 2`])
    const { has_own_view } = await opened.database
      .selectFrom('accounts')
      .select('has_own_view')
      .where('id', '=', account)
      .executeTakeFirstOrThrow()
    expect(has_own_view).toBe(true)
    await store(one({ confidence: 1 }))
    expect(await views()).toEqual([])
    await store(one({ confidence: 0 }))
    expect(await views()).toEqual([`${account} 1 2`])
    await deleteAll()
    expect(await store(one({ confidence: 0 }))).toMatchObject({ created: 1 })
    expect(await views()).toEqual([`${account} 1 2`])
  })
})

it('orders by votes end with the stars, fewer first', async () => {
  const stars = { a: 5, b: null, c: 1, d: 3, e: null, f: 2, g: 4, h: null }
  const reviews = Object.entries(stars).map(([id, given]) => foundRequest(id, { votes: 0, stars: given }))
  await store({ requests: [foundRequest('voted', { votes: 1, stars: null }), ...reviews] })
  const { rows } = await sql<{ source_id: string }>`
    select source_id from request_facets join requests on id = request_id order by request_facets.votes desc, request_id desc`.execute(
    opened.database,
  )
  expect(rows.map((listed) => listed.source_id).join(' ')).toMatch(/^voted c f d g a [beh] [beh] [beh]$/)
})

describe('the class for a strict account', () => {
  const turn = async (strictness: Strictness) => {
    await setStrictness(opened.database, account, strictness)
    while (await reclassifySlice(opened.database));
  }

  it('is likely from two thirds on, of what is stored and of what comes, until it is as usual again', async () => {
    await store({ requests: [foundRequest('1', { confidence: 0.4 }), foundRequest('2', { confidence: 0.67 })] })
    const posts = [foundRequest('3', { confidence: 0.66 }), foundRequest('6', { confidence: 0.3 })]
    await store({ requests: posts }, 'dark mode', 'reddit')
    await turn('strict')
    expect(await views()).toEqual([`${account} 1 1`, `${account} 3 1`])
    await store({ requests: [foundRequest('4', { confidence: 0.45 }), foundRequest('5', { confidence: 0.95 })] })
    expect(await views()).toEqual([`${account} 1 1`, `${account} 3 1`, `${account} 4 1`])
    await store({ requests: [foundRequest('1', { confidence: 1 }), foundRequest('5', { confidence: 0.3 })] })
    expect(await views()).toEqual([`${account} 3 1`, `${account} 4 1`, `${account} 5 1`])
    await turn('usual')
    expect(await views()).toEqual([])
  })

  it('is what people said of it, and that of all for a chore', async () => {
    await store(one({ confidence: 0.4 }))
    await turn('strict')
    await correct(account, true)
    expect(await views()).toEqual([])
    await correct(null, false)
    expect(await views()).toEqual([`${account} 1 2`])

    await store({ requests: [foundRequest('2', { confidence: 0.4 }), foundRequest('3', { confidence: 0.4 })] })
    await correct(null, true, '2')
    expect(await views()).toEqual([`${account} 1 2`, `${account} 3 1`])
    const { id, title, description } = (await row('3'))!
    await storeChores(opened.database, {
      texts: [{ id, text_hash: judgedTextHash({ title, description }) }],
      platform: 'github',
      recurringTitle: 'a title',
    })
    expect([await standing('3'), await views()]).toEqual([1, [`${account} 1 2`]])
  })
})

describe('a request that only a source of an account has', () => {
  it('is unlisted, and seen by the accounts that named the source', async () => {
    const other = await makeAccount()
    const stranger = await makeAccount()
    await nameSource(account, 'acme/app')
    await nameSource(other, 'acme/app')
    await nameSource(stranger, 'acme/else')
    expect(await store(one({ ownSource: 'acme/app' }))).toMatchObject({ found: 1, created: 1, maybeCreated: 0 })
    expect(await standing()).toBe(-1)
    expect(await views()).toEqual([`${account} 1 2`, `${other} 1 2`].sort())
    expect(await topic()).toEqual({ requests: 0, votes: 0, maybe: 0 })
    await store(one({ ownSource: 'acme/else' }))
    expect(await views()).toEqual([`${account} 1 2`, `${other} 1 2`, `${stranger} 1 2`].sort())
  })

  it('has the class that each account gives it', async () => {
    const other = await makeAccount()
    await nameSource(account, 'acme/app')
    await nameSource(other, 'acme/app')
    await correct(null, true)
    await correct(account, false)
    expect(await store(one({ ownSource: 'acme/app', confidence: 0.5 }))).toMatchObject({ created: 0 })
    expect(await views()).toEqual([`${account} 1 0`, `${other} 1 2`].sort())
  })

  it('has the class by the strictness of each account when it is new', async () => {
    const other = await makeAccount()
    await nameSource(account, 'acme/app')
    await nameSource(other, 'acme/app')
    await setStrictness(opened.database, account, 'strict')
    await store(one({ ownSource: 'acme/app', confidence: 0.4 }))
    expect(await views()).toEqual([`${account} 1 1`, `${other} 1 2`].sort())
  })

  it('is listed once a page of the sources of the operator has it, and never unlisted again', async () => {
    await nameSource(account, 'acme/app')
    await store(one({ ownSource: 'acme/app' }))
    await store({ offTopic: one().requests })
    expect(await standing()).toBe(-1)
    await store(one())
    expect(await standing()).toBe(2)
    expect(await views()).toEqual([])
    expect(await topic()).toEqual({ requests: 1, votes: 1, maybe: 0 })
    await store(one({ ownSource: 'acme/app' }))
    expect(await standing()).toBe(2)
    expect(await opened.database.selectFrom('request_sources').selectAll().execute()).toEqual([])
  })

  it('tells nothing of the account when it becomes listed: neither topic nor date', async () => {
    await nameSource(account, 'acme/app')
    await store(one({ ownSource: 'acme/app', originalCreatedAt: null }), 'secret PLAN')
    await store(one({ ownSource: 'acme/app', originalCreatedAt: null }), 'Export')
    now = new Date('2026-06-05T10:00:00Z')
    const other = [foundRequest('2', { originalCreatedAt: null })]
    await store({ requests: other }, 'export')
    const names = () => opened.database.selectFrom('topics').select('name').orderBy('name').execute()
    expect(await names()).toEqual([{ name: 'export' }, { name: 'secret PLAN' }])
    expect(await row('2')).toMatchObject({ topic: 'export' })
    await store(one({ originalCreatedAt: null }))
    expect(await row()).toMatchObject({ topic: 'dark mode', created_at: now, posted_at: now })
    const links = await opened.database
      .selectFrom('request_topics')
      .select(['topic_key', 'standing'])
      .orderBy('topic_key')
      .where('request_id', '=', (await row())!.id)
      .execute()
    // Others have collected "export" meanwhile.
    expect(links).toEqual([
      { topic_key: 'dark mode', standing: 2 },
      { topic_key: 'export', standing: 2 },
    ])
  })

  it('is new to the job that lists it, unless its account saw it before', async () => {
    await nameSource(account, 'acme/app')
    await store({ requests: ['1', '2', '3'].map((id) => foundRequest(id, { ownSource: 'acme/app' })) })
    expect(await store(one())).toMatchObject({ found: 1, created: 0, maybeCreated: 0 })
    await sql`update scrape_jobs set account_id = ${await makeAccount()}`.execute(opened.database)
    const others = [foundRequest('2'), foundRequest('3', { confidence: 0.2 })]
    expect(await store({ requests: others })).toMatchObject({ found: 2, created: 1, maybeCreated: 1 })
    expect(await store({ requests: others })).toMatchObject({ found: 2, created: 0, maybeCreated: 0 })
  })

  it('is not listed by being read again', async () => {
    await nameSource(account, 'acme/app')
    await store(one({ ownSource: 'acme/app' }))
    expect(await store({ offTopic: one({ votes: 7, status: 'closed' }).requests })).toMatchObject({ found: 0 })
    expect(await row()).toMatchObject({ standing: -1, votes: 7, status: 'closed' })
    expect(await views()).toEqual([`${account} 1 2`])
  })

  it('leaves topics as they are when it was listed before', async () => {
    await nameSource(account, 'acme/app')
    await store(one())
    expect(await store(one({ ownSource: 'acme/app' }), 'secret plan')).toMatchObject({ found: 1 })
    expect(await opened.database.selectFrom('topics').select('name').execute()).toEqual([{ name: 'dark mode' }])
    expect(await topic()).toMatchObject({ requests: 1 })
  })

  it('keeps the correction of an account when it becomes listed', async () => {
    await nameSource(account, 'acme/app')
    await store(one({ ownSource: 'acme/app' }))
    await correct(account, false)
    await store(one())
    expect(await views()).toEqual([`${account} 1 0`])
  })
})

describe('a page', () => {
  it('stores an incomplete request with the job and without the topic', async () => {
    const [likely, maybe] = [
      foundRequest('1', { excerpt: true }),
      foundRequest('2', { excerpt: true, confidence: 0.5 }),
    ]
    const counts = await store({ incomplete: [likely, maybe] })
    // They count as created for no topic: they join none.
    expect(counts).toMatchObject({ found: 2, created: 0, maybeCreated: 0 })
    expect(await row()).toMatchObject({ excerpt: true, standing: 2 })
    expect(await opened.database.selectFrom('scrape_job_requests').selectAll().execute()).toHaveLength(2)
    expect(await opened.database.selectFrom('request_topics').selectAll().execute()).toEqual([])
    expect(await topic()).toBeUndefined()
  })

  it('compares an excerpt with the topic by the whole text that is stored', async () => {
    const ofForum = { title: 'Colours', tags: [], sourceName: 'forum.example' }
    const whole = foundRequest('1', { ...ofForum, description: 'Colours for the night, such as a dark mode.' })
    const excerpt = foundRequest('1', { ...ofForum, description: '… for the night', excerpt: true })
    await store({ requests: [whole] }, 'night colours', 'discourse')
    await store({ incomplete: [excerpt] }, 'dark mode', 'discourse')
    await store({ incomplete: [excerpt] }, 'vim keys', 'discourse')
    const links = await opened.database.selectFrom('request_topics').select('topic_key').orderBy('topic_key').execute()
    expect(links.map((link) => link.topic_key)).toEqual(['dark mode', 'night colours'])
  })

  it('refreshes what is off topic when it is known, and stores nothing else of it', async () => {
    await store(one({ votes: 1 }), 'dark mode')
    const offTopic = [foundRequest('1', { votes: 8, status: 'closed' }), foundRequest('2')]
    expect(await store({ offTopic }, 'export')).toMatchObject({ found: 0, created: 0, maybeCreated: 0 })
    expect(await row()).toMatchObject({ votes: 8, status: 'closed' })
    expect(await row('2')).toBeUndefined()
    expect(await topic()).toMatchObject({ requests: 1, votes: 8 })
    expect(await opened.database.selectFrom('request_topics').selectAll().execute()).toHaveLength(1)
  })

  it('with an excerpt, whether on topic or not, refreshes the rest of a request with a whole text', async () => {
    const texts = { title: 'Dark mode', description: 'The whole text with an aquamarine ending' }
    const whole = { ...texts, sourceName: 'forum.example' }
    await store(one({ ...whole, excerpt: true, description: 'The whole' }))
    expect(await row()).toMatchObject({ excerpt: true, description: 'The whole' })
    await store(one(whole))
    const excerpt = foundRequest('1', { ...whole, description: 'The whole', excerpt: true, votes: 9, status: 'closed' })
    for (const fetched of [{ requests: [excerpt] }, { incomplete: [excerpt] }, { offTopic: [excerpt] }]) {
      await store(fetched)
      expect(await row()).toMatchObject({ ...texts, excerpt: false, votes: 9, status: 'closed' })
      const { text } = await opened.database.selectFrom('request_texts').select('text').executeTakeFirstOrThrow()
      expect(text).toContain('aquamarine')
    }
    await store(one({ ...whole, description: 'Another whole text' }))
    expect(await row()).toMatchObject({ description: 'Another whole text', excerpt: false })
  })

  it('replaces an excerpt by the whole text, and no whole text by an excerpt', async () => {
    const ofForum = { sourceName: 'forum.example' }
    const excerpt = (description: string) => foundRequest('1', { ...ofForum, description, excerpt: true })
    const whole = foundRequest('1', { ...ofForum, description: 'The whole long text.', votes: 2 })
    const stored = async () => {
      const { description, excerpt: isExcerpt, votes } = (await row())!
      const text = await opened.database.selectFrom('request_texts').select('text').executeTakeFirstOrThrow()
      return [description, isExcerpt, votes, text.text.includes('whole')]
    }
    await store({ requests: [excerpt('… whole')] }, 'dark mode', 'discourse')
    expect(await stored()).toEqual(['… whole', true, 1, true])
    await store({ requests: [whole] }, 'dark mode', 'discourse')
    await store({ requests: [{ ...excerpt('… long text'), votes: 3 }] }, 'long text', 'discourse')
    expect(await stored()).toEqual(['The whole long text.', false, 3, true])
  })

  it('that has a request twice stores it by what is on topic', async () => {
    await store({ requests: [foundRequest('1')], offTopic: [foundRequest('1')], incomplete: [foundRequest('1')] })
    expect(await topic()).toMatchObject({ requests: 1 })
  })
})

describe('the status', () => {
  const later = new Date('2026-06-05T10:00:00Z')
  const stored = async () => {
    const { status, status_changed_at, status_observed } = (await row())!
    return [status, status_changed_at?.toISOString().slice(0, 10) ?? null, status_observed]
  }

  it('has the date of the platform', async () => {
    await store(one({ status: 'completed', statusChangedAt: new Date('2026-05-01') }))
    expect(await stored()).toEqual(['completed', '2026-05-01', false])
    now = later
    await store(one({ status: 'completed', statusChangedAt: new Date('2026-05-02') }))
    expect(await stored()).toEqual(['completed', '2026-05-02', false])
  })

  it('is observed to change where the platform gives no date', async () => {
    await store(one({ status: 'open' }))
    expect(await stored()).toEqual(['open', null, false])
    now = later
    await store(one({ status: 'declined' }))
    expect(await stored()).toEqual(['declined', '2026-06-05', true])
    now = new Date('2026-06-06T10:00:00Z')
    await store(one({ status: 'declined', votes: 3 }))
    expect(await stored()).toEqual(['declined', '2026-06-05', true])
    await store(one({ status: 'declined', statusChangedAt: new Date('2026-06-04') }))
    expect(await stored()).toEqual(['declined', '2026-06-04', false])
    await store(one({ status: null }))
    expect(await stored()).toEqual([null, null, false])
  })
})

describe('votes', () => {
  const samples = async () => {
    const { rows } = await sql<{ sample: string }>`
      select to_char(day, 'MM-DD') || ' ' || votes as sample from vote_samples order by day`.execute(opened.database)
    return rows.map(({ sample }) => sample)
  }
  const read = (moment: string, votes: number) => {
    now = new Date(moment)
    return store(one({ votes }))
  }

  it('are sampled when a refresh changes them, the first time with their base', async () => {
    await read('2026-06-01T10:00:00Z', 5)
    await read('2026-06-02T10:00:00Z', 5)
    expect(await samples()).toEqual([])
    await read('2026-06-04T10:00:00Z', 7)
    expect(await samples()).toEqual(['06-01 5', '06-04 7'])
    await read('2026-06-09T10:00:00Z', 6)
    expect(await samples()).toEqual(['06-01 5', '06-04 7', '06-09 6'])
  })

  it('have one sample a UTC day, the last', async () => {
    await read('2026-06-01T23:00:00Z', 5)
    await read('2026-06-01T23:30:00Z', 6)
    expect(await samples()).toEqual(['06-01 6'])
    await read('2026-06-02T00:30:00Z', 7)
    await read('2026-06-02T23:30:00Z', 9)
    expect(await samples()).toEqual(['06-01 6', '06-02 9'])
  })
})

describe('reading again', () => {
  const dayMs = 86_400_000
  const due = async () => {
    const rows = await opened.database.selectFrom('request_refreshes').selectAll().execute()
    return rows.map(({ handle, due_at }) => [handle, Math.round((due_at.getTime() - now.getTime()) / dayMs)])
  }

  it('is due sooner for what is more wanted', async () => {
    await store({
      requests: [
        foundRequest('1', { refreshHandle: 'a', votes: 0 }),
        foundRequest('2', { refreshHandle: 'b', votes: 15 }),
        foundRequest('3', { refreshHandle: 'c', votes: 5_000 }),
        foundRequest('4', { refreshHandle: 'd', votes: 5_000, status: 'completed' }),
        foundRequest('5'),
      ],
    })
    expect((await due()).sort()).toEqual([
      ['a', 28],
      ['b', 7],
      ['c', 1],
      ['d', 28],
    ])
  })

  it('is put off when a page has the request, which ends a series of misses', async () => {
    await store(one({ refreshHandle: 'a', votes: 15 }))
    await sql`update request_refreshes set misses = 2, missed_on = '2026-06-03'`.execute(opened.database)
    now = new Date(now.getTime() + 5 * dayMs)
    await store(one({ refreshHandle: 'b', votes: 15 }))
    expect(await due()).toEqual([['b', 7]])
    const [refresh] = await opened.database.selectFrom('request_refreshes').selectAll().execute()
    expect(refresh).toMatchObject({ misses: 0, missed_on: null, checked_at: now })
  })
})

it('a deleted request leaves nothing but corrections, which apply when it is collected again', async () => {
  await nameSource(account, 'acme/app')
  const wish = { ownSource: 'acme/app', refreshHandle: 'a' }
  await store(one({ ...wish, votes: 1 }))
  await correct(account, false)
  now = new Date('2026-06-03T10:00:00Z')
  await store(one({ ...wish, votes: 2 }))
  const { id } = (await row())!
  await sql`insert into request_judgements values (${id}, 'hash', 1, ${now})`.execute(opened.database)
  const tables = ['account_requests', 'vote_samples', 'request_refreshes', 'request_sources', 'request_judgements']
  const counts = () =>
    Promise.all(
      tables.map(async (table) => {
        const { rows } = await sql`select 1 from ${sql.table(table)}`.execute(opened.database)
        return [table, rows.length > 0]
      }),
    )
  expect(await counts()).toEqual(tables.map((table) => [table, true]))
  const chosen = sql<{ id: string }>`select id from requests for update`
  await deleteAlone(opened.database, chosen)
  expect(await counts()).toEqual(tables.map((table) => [table, false]))
  await store(one(wish))
  expect(await views()).toEqual([`${account} 1 0`])
})

it('the rows that are derived from a request are deleted with it, and those of others stay', async () => {
  const requests = ['kept', 'deleted'].map((id) => foundRequest(id, { refreshHandle: id }))
  await store({ requests })
  const kept = (await row('kept'))!.id
  const tables = [
    'request_texts',
    'request_topics',
    'request_refreshes',
    'scrape_job_requests',
    'request_facets',
    'searchable_requests',
    'uncounted_texts',
    'wish_queue',
  ]
  const ids = (table: string) =>
    sql<{ id: string }>`select request_id as id from ${sql.table(table)}`.execute(opened.database)
  for (const table of tables) expect((await ids(table)).rows, table).toHaveLength(2)
  const chosen = sql<{ id: string }>`select id from requests where source_id = 'deleted' for update`
  await deleteAlone(opened.database, chosen)
  for (const table of tables) expect((await ids(table)).rows, table).toEqual([{ id: kept }])
})
