import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { seededRandom } from '../../../scripts/detection/random.ts'
import { unknownId } from '../../../test/contract/testing.ts'
import { foundRequest } from '../../../test/scripted-platform.ts'
import { startTestService, type TestService } from '../../../test/service.ts'
import { purgeRequests } from '../../requests/purge/purge.ts'
import { deleteAlone } from '../../requests/store/delete.ts'
import { recount } from '../../requests/wish-numbers/recount.ts'
import { countTexts } from '../../requests/words/uncounted-texts.ts'
import { idOf, makeShare, openShare, storeRequests } from '../shares/testing.ts'
import { blocksOf } from './blocks.ts'
import { maxBriefs } from './briefs.ts'
import { type BriefFormat, briefFormats } from './files.ts'
import type { Brief, Verification } from './schemas.ts'

// Holds (Search, lists and export): a brief quotes verbatim and keeps its numbers; the same snapshot has the same bytes
// Holds (Data): what is deleted from the cache leaves stored briefs at once, and they say so
// Holds (Search, lists and export): any change to a brief's file is detected

let service: TestService
let now = new Date('2026-06-01T12:00:00.000Z')
beforeAll(async () => {
  service = await startTestService({ clock: { now: () => now } })
})
afterAll(() => service.stop())

const [asked, other] = [
  'We use it at night. Please add a dark mode to the editor, it hurts my eyes. Thanks a lot!',
  'A dark theme would be great for *all* of our [users] at night.',
]

/** One wish of two requests, one of a single request, one on a platform whose texts are not passed on, one that is done. */
beforeEach(async () => {
  await service.reset()
  now = new Date('2026-06-01T12:00:00.000Z')
  const stackExchange = { license: 'CC BY-SA 4.0', sourceName: 'webapps', authorHandle: 'bob', authorName: 'Bob' }
  await storeRequests(service, [
    foundRequest('1', { title: 'Dark mode', description: asked, votes: 30, status: 'open' }),
    foundRequest('3', {
      title: 'Sync',
      description: 'I would like it to sync all my devices.',
      votes: 12,
      authorHandle: 'eve',
      authorName: null,
    }),
    foundRequest('4', {
      title: 'Export to CSV',
      description: 'Please let us export the table as a CSV file.',
      votes: 50,
      status: 'completed',
      statusChangedAt: new Date('2026-05-01T00:00:00.000Z'),
    }),
    foundRequest('6', { title: 'Maybe', confidence: 0.2 }),
  ])
  await storeRequests(
    service,
    [foundRequest('2', { title: 'A dark theme', description: other, votes: 8, ...stackExchange })],
    { platform: 'stackexchange' },
  )
  await storeRequests(
    service,
    [foundRequest('5', { title: 'Secret words', description: 'Please add secret words to it.', votes: 3 })],
    { platform: 'reddit' },
  )
  const [one, two] = [await idOf(service, '1'), await idOf(service, '2')]
  await service.database.transaction().execute(async (transaction) => {
    await sql`insert into wishes (id) values (${one})`.execute(transaction)
    await sql`insert into wish_members (request_id, wish_id) values (${one}, ${one}), (${two}, ${one})`.execute(
      transaction,
    )
    await recount(transaction, { requests: [one, two] })
  })
})

const make = async (body: object = { topic: 'dark mode' }, client = service.client): Promise<string> => {
  const answer = await client.post('/api/v1/briefs', body)
  expect(answer.status, answer.text).toBe(200)
  return answer.body.data.briefId
}
const read = async (briefId: string): Promise<Brief> => {
  const answer = await service.client.get(`/api/v1/briefs/${briefId}`)
  expect(answer.status, answer.text).toBe(200)
  return answer.body.data
}
const file = async (briefId: string, format: BriefFormat = 'markdown'): Promise<string> => {
  const answer = await service.client.get(`/api/v1/briefs/${briefId}/file?format=${format}`)
  expect(answer.status, answer.text).toBe(200)
  return answer.text
}
const verify = async (text: string, client = service.client): Promise<Verification> => {
  const answer = await client.post('/api/v1/briefs/verify', { file: text })
  expect(answer.status, answer.text).toBe(200)
  return answer.body.data
}
const purge = (author: string) => purgeRequests(service.database, { author, suppress: true, dryRun: false, now })

describe('a brief', () => {
  it('has the wishes in order of demand with their numbers and words, what is done, and what was left out', async () => {
    const { document, removed } = await read(await make({ topic: 'dark mode', question: 'What first?' }))
    expect(removed).toBe(0)
    expect(document).toMatchObject({
      asOf: now.toISOString(),
      question: 'What first?',
      about: { topic: 'dark mode', query: null, filters: null, since: null, until: null },
      totals: { wishes: 4, hasMoreWishes: false, requests: 5, requestsAreExact: true },
      leftOut: { wishes: 0, maybe: 1, unlikely: 0, unquotedPlatforms: ['reddit'] },
      votesAre: [
        { platform: 'github', votesAre: expect.stringContaining('thumbs-up') },
        { platform: 'reddit', votesAre: expect.any(String) },
        { platform: 'stackexchange', votesAre: expect.any(String) },
      ],
      accuracy: { shown: { labels: 0, share: null }, hidden: { labels: 0, share: null } },
    })
    expect(document.wishes.map((wish) => [wish?.votes, wish?.requestCount])).toEqual([
      [38, 2],
      [12, 1],
      [3, 1],
    ])
    const [dark, , secret] = document.wishes
    expect(dark).toMatchObject({
      title: { text: 'Dark mode', author: 'Ada Lovelace (ada)' },
      platforms: [
        { platform: 'github', requests: 1, votes: 30 },
        { platform: 'stackexchange', requests: 1, votes: 8 },
      ],
      status: 'open',
      unquoted: 0,
    })
    expect(dark?.quotes).toMatchObject([
      { text: 'Please add a dark mode to the editor, it hurts my eyes.', isWhole: true, votes: 30 },
      { text: other, author: 'Bob (bob)', license: 'CC BY-SA 4.0', sourceName: 'webapps' },
    ])
    // The owner reads what the owner has; what is not passed on is named.
    expect(secret).toMatchObject({
      title: { text: 'Secret words' },
      quotes: [{ text: 'Please add secret words to it.' }],
      unquoted: 1,
    })
    expect(document.settled).toMatchObject([
      { votes: 50, status: 'completed', statusFrom: { changedAt: '2026-05-01T00:00:00.000Z', platform: 'github' } },
    ])
    for (const format of briefFormats) expect(await file(await make(), format)).toMatch(/secret words/i)
    expect(await file(await make())).toMatch(
      /Reddit[^\n]* · for you alone\n[\s\S]*Words from Reddit: they are for you alone/,
    )
  })

  it('says of an open wish how many of its requests are done', async () => {
    const done = foundRequest('2', { title: 'A dark theme', description: other, votes: 8, status: 'completed' })
    await storeRequests(service, [done], { platform: 'stackexchange' })
    const briefId = await make()
    const [wish] = (await read(briefId)).document.wishes
    expect(wish).toMatchObject({ status: 'open', settledRequests: { completed: 1, declined: 0 } })
    expect(await file(briefId)).toContain('Of its 2 requests 1 is completed.')
  })

  it('says how many stars a review has', async () => {
    const reviewed = foundRequest('9', { title: 'Widgets', description: 'Please add widgets.', votes: 0, stars: 1 })
    await storeRequests(service, [reviewed], { platform: 'appstore' })
    const briefId = await make({ topic: 'dark mode', period: { since: '2025-01-01' } })
    expect((await read(briefId)).document.wishes.at(-1)).toMatchObject({ votes: 0, title: { stars: 1 } })
    for (const format of ['markdown', 'html'] as const)
      expect(await file(briefId, format)).toMatch(/since 1 Jan 2025[\s\S]*0 votes, 1 of 5 stars · 1 person asked/)
  })

  it('says how often detection is right, where that is known', async () => {
    const brief = await read(await make())
    const unknown = brief.document.accuracy!.shown
    const shown = { labels: 24, from: 'account' as const, share: 0.634, low: 0.52, high: 0.72 }
    const said = (accuracy: NonNullable<Brief['document']['accuracy']>) =>
      JSON.stringify(blocksOf({ ...brief, document: { ...brief.document, accuracy } }))
    expect(said({ shown, hidden: unknown })).toContain('Of 100 shown texts, 63 (52 to 72) are requests (24 answers).')
    expect(said({ shown: unknown, hidden: unknown })).not.toContain('Of 100')
  })

  it.each([
    [{ query: 'dark' }, ['Dark mode']],
    [{ filters: { minVotes: 10, platforms: ['github'] } }, ['Dark mode', 'Sync']],
    [{ topic: 'dark mode', filters: { platforms: ['stackexchange'] } }, ['Dark mode']],
  ])('is about %j', async (body, titles) => {
    const { document } = await read(await make(body))
    expect(document.wishes.map((wish) => wish?.title?.text)).toEqual(titles)
  })

  it('is about what a misspelt query means, and says so', async () => {
    await countTexts(service.database)
    const { document } = await read(await make({ query: 'editorr' }))
    expect(document.about).toMatchObject({ query: 'editorr', searched: 'editor' })
    expect([document.wishes.map((wish) => wish?.title?.text), document.totals.requests]).toEqual([['Dark mode'], 1])
  })

  it('is about what a watch is about', async () => {
    const made = await service.client.post('/api/v1/watches', {
      topic: 'dark mode',
      platforms: ['github'],
      filters: { minVotes: 20 },
      monthlyCredits: 100,
    })
    expect(made.status, made.text).toBe(200)
    const { document } = await read(await make({ watchId: made.body.data.watchId }))
    expect(document.wishes.map((wish) => wish?.title?.text)).toEqual(['Dark mode'])
  })

  it('stays what it was, byte by byte, and one of the same state has the same name', async () => {
    const [one, two] = [await make(), await make()]
    const before = await Promise.all(briefFormats.map((format) => file(one, format)))
    await storeRequests(service, [foundRequest('1', { title: 'Night', description: 'Please add it.', votes: 99 })])
    expect(await Promise.all(briefFormats.map((format) => file(one, format)))).toEqual(before)
    expect(await Promise.all(briefFormats.map((format) => file(two, format)))).toEqual(before)
    expect((await read(one)).snapshot).toBe((await read(two)).snapshot)
    expect((await read(await make())).snapshot).not.toBe((await read(one)).snapshot)
  })

  it('is its account’s alone, listed, deleted, and ends with the account', async () => {
    const briefId = await make()
    const stranger = await service.createAccount()
    for (const [method, path] of [
      ['GET', ''],
      ['GET', '/file'],
      ['DELETE', ''],
    ] as const)
      expect((await stranger.client.send(method, `/api/v1/briefs/${briefId}${path}`)).status).toBe(404)
    expect(await verify(await file(briefId), stranger.client)).toMatchObject({ verdict: 'unknown', briefId: null })
    expect((await stranger.client.get('/api/v1/briefs')).body.data.results).toEqual([])
    const others = await make({ topic: 'dark mode' }, stranger.client)
    await service.clientFor(service.adminKey).send('DELETE', `/api/admin/accounts/${stranger.accountId}`)
    expect((await service.client.get('/api/v1/briefs')).body.data.results).toMatchObject([{ briefId, removed: 0 }])
    expect((await service.client.send('DELETE', `/api/v1/briefs/${briefId.toUpperCase()}`)).status).toBe(200)
    const { rows } = await sql`select brief_id from brief_parts union all select id from briefs`.execute(
      service.database,
    )
    expect([rows, others]).toEqual([[], expect.any(String)])
  })

  it('is refused where it has no subject, two, or one that nobody sees', async () => {
    for (const body of [
      {},
      { topic: 'dark mode', query: 'dark' },
      { topic: 'dark mode', filters: { topic: 'sync' } },
      { topic: 'dark mode', filters: { since: '2026-01-01' }, period: { since: '2026-01-01' } },
      { watchId: unknownId, filters: { minVotes: 1 } },
      { query: '-dark' },
    ]) {
      const answer = await service.client.post('/api/v1/briefs', body)
      expect([answer.status, JSON.stringify(body)]).toEqual([
        'watchId' in body && answer.status === 404 ? 404 : 400,
        JSON.stringify(body),
      ])
    }
    expect((await service.client.post('/api/v1/briefs', { watchId: unknownId })).status).toBe(404)
  })

  it(`is one of ${maxBriefs} at most`, async () => {
    await make()
    await sql`insert into briefs (account_id, snapshot, request, head, parts, created_at)
      select account_id, snapshot, request, head, parts, created_at from briefs, generate_series(2, ${maxBriefs - 1})`.execute(
      service.database,
    )
    const answers = await Promise.all([1, 2].map(() => service.client.post('/api/v1/briefs', { topic: 'dark mode' })))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409])
  })
})

describe('a purge', () => {
  it('takes the words of a person out of every brief at once, and the briefs say so', async () => {
    const briefId = await make()
    const files = await Promise.all(briefFormats.map((format) => file(briefId, format)))
    await purge('bob')
    const { document, removed } = await read(briefId)
    expect(removed).toBe(1)
    expect(document.wishes[0]).toMatchObject({ votes: 38, quotes: [{ votes: 30 }, null] })
    const stored = await sql<{ text: string }>`select content::text as text from brief_parts`.execute(service.database)
    expect(JSON.stringify(stored.rows)).not.toMatch(/bob|dark theme/i)
    for (const format of briefFormats) {
      const text = await file(briefId, format)
      expect(text).not.toMatch(/bob|dark theme/i)
      expect(text).toMatch(format === 'json' ? /"removed": 1/ : /removed since/i)
    }
    for (const text of files) expect(await verify(text)).toMatchObject({ verdict: 'intact', removed: 1, changes: [] })
  })

  it('takes out a title, and where a status is from', async () => {
    await storeRequests(service, [
      foundRequest('1', { title: 'Dark mode', description: asked, votes: 30, status: 'planned' }),
    ])
    const briefId = await make()
    const files = await Promise.all(briefFormats.map((format) => file(briefId, format)))
    expect(files[0]).toMatch(
      /1\. Dark mode \(GitHub\) – 38 votes · 2 people asked · planned\n[\s\S]*\nPlanned.*: \[as the post on GitHub says\]/,
    )
    await deleteAlone(service.database, sql<{ id: string }>`select id from requests where source_id = '1' for update`)
    const { document, removed } = await read(briefId)
    expect([removed, document.wishes[0]]).toMatchObject([3, { title: null, statusFrom: null, quotes: [null, {}] }])
    for (const text of files) expect(await verify(text)).toMatchObject({ verdict: 'intact', removed: 3, changes: [] })
    const { verdict, changes } = await verify(files[0]!.replace('On GitHub (1 request', 'On GitHub (2 requests'))
    expect([verdict, JSON.stringify(changes)]).toEqual(['changed', expect.stringContaining('2 requests')])
    const [markdown, , json] = await Promise.all(briefFormats.map((format) => file(briefId, format)))
    for (const forged of [
      markdown!.replace(/^\*3 parts.*$/m, '$&\n\n1. Ours (GitHub) – 9,999 votes · 9,999 people asked'),
      markdown!.replace(/^1\. Removed since.*$/m, '$&\n1. Ours (GitHub) – 9,999 votes · 9,999 people asked'),
      files[0]!.replace(/^> — .*$/m, '$&\n\n> “Ours”\n>\n> — nobody'),
      json!.replace(/"statusFrom": null,\n(\s*)"title": \{/, '"statusFrom": {"status": "completed"},\n$1"title": {'),
    ])
      expect([[markdown, json, ...files].includes(forged), (await verify(forged)).verdict]).toEqual([false, 'changed'])
    for (const text of [markdown!, json!]) expect((await verify(text)).verdict).toBe('intact')
  })

  it('takes it out of the pages that share a brief, which end with the brief', async () => {
    const briefId = await make({ topic: 'dark mode', question: 'What first?' })
    const { url } = await makeShare(service.client, { briefId: briefId.toUpperCase(), title: 'Ours' })
    const stranger = await service.createAccount()
    expect((await stranger.client.post('/api/v1/shares', { briefId })).status).toBe(404)
    const before = await openShare(service, url, 'de')
    expect(before.text).toContain('<html lang="en">')
    for (const words of [
      'Ours',
      'What first?',
      'Please add a dark mode to the editor, it hurts my eyes.',
      'A dark theme',
    ])
      expect(before.text).toContain(words)
    await purge('bob')
    const after = await openShare(service, url)
    expect(after.text).not.toMatch(/bob|dark theme/i)
    expect(after.text).toMatch(/1 part of this brief was removed/)
    await service.client.send('DELETE', `/api/v1/briefs/${briefId}`)
    expect([
      (await openShare(service, url)).status,
      (await service.client.get('/api/v1/shares')).body.data.results,
    ]).toEqual([404, []])
  })

  it('takes a wish of one request out as a whole', async () => {
    const briefId = await make()
    const before = await file(briefId)
    await purge('eve')
    const { document, removed } = await read(briefId)
    expect([removed, document.wishes[1]]).toEqual([1, null])
    expect(await file(briefId)).not.toMatch(/sync|\beve\b|12 votes/i)
    expect(await verify(before)).toMatchObject({ verdict: 'intact', removed: 1 })
    expect((await verify(before.replace('12 votes', '13 votes'))).verdict).toBe('intact')
  })

  it('between the reading and the storing of a brief counts, too', async () => {
    const { composeBrief } = await import('./compose.ts')
    const { createBrief } = await import('./briefs.ts')
    const { database } = service
    const { accountId, client } = await service.createAccount()
    const account = { accountId, hasOwnView: false }
    const about = {
      view: { filters: { topic: 'dark mode' } },
      shown: { topic: 'dark mode', query: null, filters: null, since: null, until: null },
    }
    const searchIndex = undefined as never
    const composed = await composeBrief({ account, about, question: null, now }, { database, searchIndex })
    await deleteAlone(database, sql<{ id: string }>`select id from requests where source_id = '2' for update`)
    const made = await database
      .transaction()
      .execute((transaction) => createBrief(transaction, { ...account, request: {}, composed, now }))
    const { document, removed } = (await client.get(`/api/v1/briefs/${made.id}`)).body.data
    expect([removed, document.wishes[0].quotes.length]).toEqual([1, 2])
    expect(JSON.stringify(document)).not.toMatch(/dark theme/i)
  })
})

describe('the verification of a file', () => {
  it('finds every change of it, and says where', async () => {
    const briefId = await make()
    for (const format of briefFormats) {
      const text = await file(briefId, format)
      expect(await verify(text)).toEqual({
        ...{ verdict: 'intact', briefId, changes: [], removed: 0, noLongerHolds: [] },
        snapshot: (await read(briefId)).snapshot,
      })
      for (const same of [text.replaceAll('\n', '\r\n'), `\ufeff${text}`, text.trimEnd()])
        expect((await verify(same)).verdict).toBe('intact')
      const quotations = text.replace(/^(>.*)\n\n/gmu, '$1\n')
      for (const other of [
        text.replace(/\n\n/gu, '\n'),
        quotations,
        text.replace('\n\n', '\n\u00a0\n'),
        ...[' ', '  ', '\t', '\u00a0', '\u200b'].flatMap((blank) => [
          text.replace('\n', `${blank}\n`),
          `${text.trimEnd()}${blank}\n`,
          `${blank}${text}`,
        ]),
      ])
        expect([other === text, (await verify(other)).verdict]).toEqual([
          other === text,
          other === text ? 'intact' : 'changed',
        ])
    }
    const text = await file(briefId)
    const line = text.split('\n').findIndex((one) => one.includes('it hurts my eyes')) + 1
    const changed = await verify(text.replace('it hurts my eyes', 'it hurts all eyes'))
    expect(changed.verdict).toBe('changed')
    expect(changed.changes).toEqual([
      { line, made: expect.stringContaining('hurts my eyes'), file: expect.stringContaining('hurts all eyes') },
    ])
    expect((await verify(text.replace(/sha256:\w/, 'sha256:x'))).verdict).toBe('unknown')
    const question = `Is sha256:${'a'.repeat(64)} known?`
    expect((await verify(await file(await make({ topic: 'dark mode', question })))).verdict).toBe('intact')
    expect((await verify('# Nothing of ours')).verdict).toBe('unknown')
    const much = `${text}\n${Array.from({ length: 5_000 }, (_, at) => `line ${at}`).join('\n')}`
    expect((await verify(much)).verdict).toBe('changed')
  })

  it('finds each of 100 manipulated files', async () => {
    const seed = Number(process.env.TEST_SEED ?? Math.trunc(Math.random() * 2 ** 31))
    console.log(`manipulated briefs: seed ${seed}`)
    const uniform = seededRandom(seed)
    const random = (below: number) => Math.floor(uniform() * below)
    const briefId = await make()
    for (let at = 0; at < 100; at += 1) {
      const text = await file(briefId, briefFormats[at % briefFormats.length]!)
      const places = [...text.matchAll(/[a-z]{4,}|\d+/gi)].filter(({ 0: word }) => !text.includes(`sha256:${word}`))
      const { 0: word, index } = places[random(places.length)]!
      const fresh = /\d/.test(word) ? String(Number(word) + 1 + random(9)) : ['', 'never', `${word}s`][random(3)]!
      const manipulated = text.slice(0, index) + fresh + text.slice(index + word.length)
      const found = await verify(manipulated)
      expect([found.verdict === 'intact', word, fresh], `seed ${seed}, file ${at}`).toEqual([false, word, fresh])
    }
  })

  it('says what no longer holds', async () => {
    const briefId = await make()
    const text = await file(briefId)
    await storeRequests(service, [
      foundRequest('1', { title: 'Dark mode', description: 'Forget it.', votes: 31, status: 'completed' }),
    ])
    const { verdict, noLongerHolds } = await verify(text)
    const [one, wishId] = [await idOf(service, '1'), (await read(briefId)).document.wishes[0]!.wishId]
    expect(verdict).toBe('intact')
    expect(noLongerHolds).toEqual([
      { what: 'votes', wishId, requestId: null, was: '38', now: '39' },
      { what: 'status', wishId, requestId: null, was: 'open', now: 'completed' },
      { what: 'quote', wishId, requestId: one, was: expect.stringContaining('hurts my eyes'), now: null },
    ])
  })
})
