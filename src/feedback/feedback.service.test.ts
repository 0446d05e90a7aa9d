import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { TestClient } from '../../test/client.ts'
import { startTestService, type TestService } from '../../test/service.ts'
import { runCommand } from '../cli/command-testing.ts'
import { deleteForgottenAsks } from './imports.ts'
import { openImport } from './store.ts'

// Holds (Data): a feedback file is checked before it is stored, and updates earlier imports without duplicates
// Holds (Data): imported feedback is private to its account, deleted as a whole, and reached by purges

let service: TestService
let admin: TestClient
beforeAll(async () => {
  service = await startTestService()
  admin = service.clientFor(service.adminKey)
})
beforeEach(() => service.reset())
afterAll(() => service.stop())

const csv = 'text/csv'
const importFile = (body: string | Buffer, query: string, { client = service.client, type = csv } = {}) =>
  client.send('POST', `/api/v1/feedback/imports?${query}`, { headers: { 'content-type': type }, body: body as string })
const imported = async (body: string, query: string, client?: TestClient) => {
  const answer = await importFile(body, query, client ? { client } : {})
  expect(answer.status, answer.text).toBe(200)
  return answer.body.data
}
const listOf = async (client: TestClient, query = '') =>
  (await client.get(`/api/v1/requests?include=all&limit=100${query}`)).body.data.results as Record<string, unknown>[]

const board = `Post ID,Title,Details,Board,Score,Status,Author Name,Author Email,Created,URL
p1,Dark mode,"It is too bright,
at night.",Ideas,41,planned,Ada,ada@example.org,2026-01-02T10:00:00Z,https://acme.canny.io/ideas/p/dark
p2,Offline maps,Please.,Ideas,7,under review,Bob,,2026-02-03T10:00:00Z,
`

describe('an imported file', () => {
  it('is stored for its account, with every field, and the same file again changes nothing', async () => {
    const data = await imported(board, 'name=canny')
    expect(data).toMatchObject({
      name: 'canny',
      format: 'canny',
      areRequests: true,
      rows: 2,
      asks: 2,
      repeated: 0,
      unused: [],
      stored: { created: 2, updated: 0, unchanged: 0, suppressed: 0 },
      columns: { id: 'Post ID', title: 'Title', description: 'Details', votes: 'Score', tags: 'Board' },
    })
    const [first, second] = await listOf(service.client, '&sortBy=votes')
    expect(first).toMatchObject({
      title: 'Dark mode',
      description: 'It is too bright,\nat night.',
      votes: 41,
      tags: ['Ideas'],
      status: 'planned',
      sourcePlatform: 'import',
      sourceName: 'canny',
      sourceUrl: 'https://acme.canny.io/ideas/p/dark',
      authorName: 'Ada',
      authorHandle: 'ada@example.org',
      originalCreatedAt: '2026-01-02T10:00:00.000Z',
      likelihood: 'likely',
    })
    expect(second).toMatchObject({ title: 'Offline maps', status: 'open', sourceUrl: 'import:canny#p2' })
    const again = await imported(board.replace(',7,', ',8,'), 'name=canny')
    expect(again.stored).toEqual({ created: 0, updated: 1, unchanged: 1, suppressed: 0, notLikely: 0, unindexed: 0 })
    expect(await listOf(service.client)).toHaveLength(2)
    const { body } = await service.client.get('/api/v1/feedback/imports')
    expect(body.data.results).toMatchObject([{ name: 'canny', asks: 2 }])
  })

  it('is checked before anything is stored: rows that are wrong are named by their lines', async () => {
    const wrong = await importFile(
      `${board}p3,Sync,Now.,Ideas,many,,,,,\np4,Wiki,x,Ideas,1,,,,someday,\n`,
      'name=canny',
    )
    expect(wrong.status).toBe(400)
    expect(wrong.body.error.details).toEqual([
      { path: 'line 5', message: 'many is no number of votes.' },
      { path: 'line 6', message: 'someday is no date; write it as 2026-01-31.' },
    ])
    const cut = await importFile(`${board}p3,Sync\n`, 'name=canny')
    expect(cut.body.error.message).toBe('Nothing was imported: line 5: it has 2 columns, where the first line has 10.')
    expect(await listOf(service.client)).toEqual([])
    expect((await service.client.get('/api/v1/feedback/imports')).body.data.results).toEqual([])
    expect((await imported(board, 'name=canny&dryRun=true')).stored).toBeNull()
    expect(await listOf(service.client)).toEqual([])
  })

  it('is answered with what of it is not understood, and what lists leave out', async () => {
    const rows = [
      '1,Please add a dark mode,wontfix,2026-01-31',
      '2,Hel\0lo,Backlog 7,',
      '3,Thanks,Backlog 7,',
      '4,Bye,Icebox,',
    ]
    const file = `id,text,status,created\n${rows.join('\n')}\n`
    const said = { undated: 3, unstorable: 1, unknownStatuses: { rows: 3, words: ['Backlog 7', 'Icebox'] } }
    expect(await imported(file, 'name=inbox&dryRun=true')).toMatchObject({ ...said, stored: null })
    expect(await imported(file, 'name=inbox')).toMatchObject({ ...said, stored: { created: 4, notLikely: 3 } })
    const { body } = await service.client.get('/api/v1/requests')
    const { stdout } = await runCommand(['import', '-', '--name', 'other'], service, file)
    expect(stdout).toContain('\nWithout a date: 3 rows. Filters by date leave them out.\n')
    expect(stdout).toContain('(NUL, halves of others) and are removed: 1 row.\n')
    expect(stdout).toContain('\nNot understood as a status: Backlog 7, Icebox (3 rows).\n')
    expect(stdout).toContain('Not likely feature requests, so lists leave them out: 3 of the new ones. If they are, ')
    await service.client.send('DELETE', '/api/v1/feedback/imports/other')
    expect(body.data.results).toHaveLength(1)
    expect((await imported(file, 'name=inbox')).stored).toMatchObject({ created: 0, notLikely: 0 })
    expect((await imported(file, 'name=inbox&areRequests=true')).stored).toMatchObject({ updated: 4, notLikely: 0 })
    expect((await service.client.get('/api/v1/requests')).body.data.results).toHaveLength(4)
    const noDay = await importFile('text,created\nPlease add tabs,2026-02-30\n', 'name=inbox')
    expect(noDay.body.error.details).toEqual([
      { path: 'line 2', message: '2026-02-30 is no date; write it as 2026-01-31.' },
    ])
  })

  it('is one at a time for an account, and slow ones of others do not stop it', async () => {
    const answers = await Promise.all(['a', 'b', 'c'].map((name) => importFile(board, `name=${name}`)))
    const refused = answers.filter(({ status }) => status !== 200)
    expect(refused.length).toBeGreaterThan(0)
    for (const { body, headers } of refused)
      expect([body.error.code, headers.get('retry-after')]).toEqual(['CONFLICT', '10'])
    const slow = await Promise.all([1, 2, 3].map(() => service.createAccount('pro')))
    const { promise: isDone, resolve: finish } = Promise.withResolvers<void>()
    async function* parts() {
      yield Buffer.from('title\n')
      await isDone
      yield Buffer.from('Dark mode\n')
    }
    const held = slow.map(({ client }) =>
      client.send('POST', '/api/v1/feedback/imports?name=slow', {
        headers: { 'content-type': csv },
        body: ReadableStream.from(parts()),
      }),
    )
    await imported(board, 'name=d')
    // A key that is revoked while its file arrives imports nothing.
    const { client } = slow[0]!
    const { results: keys } = (await client.get('/api/v1/keys')).body.data
    await client.post('/api/v1/keys', { name: 'another' })
    expect((await client.send('DELETE', `/api/v1/keys/${keys[0].keyId}`)).status).toBe(200)
    finish()
    expect((await Promise.all(held)).map(({ status }) => status)).toEqual([401, 200, 200])
  })

  it('exists for no other account, also under the same name, and the operator imports for all', async () => {
    const other = await service.createAccount('pro')
    await imported(board, 'name=canny')
    expect(await listOf(other.client)).toEqual([])
    expect((await other.client.get('/api/v1/feedback/imports')).body.data.results).toEqual([])
    expect((await other.client.send('DELETE', '/api/v1/feedback/imports/canny')).status).toBe(404)
    expect((await imported(board, 'name=canny', other.client)).stored.created).toBe(2)
    expect(await listOf(other.client)).toHaveLength(2)
    const answer = await admin.send('POST', '/api/admin/feedback/imports?name=public', {
      headers: { 'content-type': csv },
      body: 'title,text\nA wiki,Please add a wiki to it\n',
    })
    expect(answer.status, answer.text).toBe(200)
    expect((await listOf(other.client)).map(({ title }) => title).sort()).toEqual([
      'A wiki',
      'Dark mode',
      'Offline maps',
    ])
  })

  it('of thousands of rows is stored at once, and found by words soon after', async () => {
    const file = (last: string) =>
      [
        'id,title,text',
        ...Array.from({ length: 2_001 }, (_, id) => `${id},Export ${id},Please add ${id === 7 ? last : 'one'}`),
      ].join('\n')
    const found = async (words: string) => {
      const answer = await service.client.post('/api/v1/requests/search', { query: words, include: 'all' })
      expect(answer.status, answer.text).toBe(200)
      return answer.body.data.results.map(({ title }: { title: string }) => title)
    }
    const indexed = () =>
      expect
        .poll(async () => (await service.client.get('/api/v1/feedback/imports')).body.data.results[0].unindexed, {
          timeout: 20_000,
        })
        .toBe(0)
    expect((await imported(file('quokka'), 'name=large')).stored).toMatchObject({ created: 2_001, unindexed: 2_001 })
    expect(await listOf(service.client)).not.toEqual([])
    await indexed()
    expect(await found('quokka')).toEqual(['Export 7'])
    expect((await imported(file('wombat'), 'name=large')).stored).toMatchObject({ updated: 1 })
    await indexed()
    expect([await found('quokka'), await found('wombat')]).toEqual([[], ['Export 7']])
    const removed = await service.client.send('DELETE', '/api/v1/feedback/imports/large')
    expect(removed.body.data.deleted).toBe(2_001)
  })

  it('is deleted as a whole, and is never stored again where it was purged', async () => {
    await imported(board, 'name=canny')
    await imported('text\nPlease add a dark theme\n', 'name=inbox')
    const purge = await admin.post('/api/admin/purge', { author: 'ada@example.org' })
    expect(purge.body.data.deleted, purge.text).toBe(1)
    expect((await imported(board, 'name=canny')).stored).toEqual({
      created: 0,
      updated: 0,
      unchanged: 1,
      suppressed: 1,
      notLikely: 0,
      unindexed: 0,
    })
    const removed = await service.client.send('DELETE', '/api/v1/feedback/imports/canny')
    expect(removed.body.data).toEqual({ name: 'canny', deleted: 1 })
    expect((await listOf(service.client)).map(({ sourceName }) => sourceName)).toEqual(['inbox'])
    expect((await service.client.send('DELETE', '/api/v1/feedback/imports/canny')).status).toBe(404)
  })

  it('is gone with its account', async () => {
    const other = await service.createAccount('pro')
    await imported(board, 'name=canny', other.client)
    await admin.send('DELETE', `/api/admin/accounts/${other.accountId}`)
    expect(await deleteForgottenAsks(service.database)).toBe(false)
    const left = await service.database.selectFrom('requests').select('id').where('platform', '=', 'import').execute()
    expect(left).toEqual([])
    // As a file that was still being checked then.
    const late = { accountId: other.accountId, source: `${other.accountId}/late`, asks: 1, now: new Date() }
    await expect(openImport(service.database, late)).rejects.toThrow('The account was deleted.')
  })
})

describe('a form', () => {
  it('sends what people ask for with a key that can do nothing else, from any site', async () => {
    const { body } = await service.client.post('/api/v1/keys', { name: 'form', feedbackOnly: true })
    const form = service.clientFor(body.data.apiKey)
    const preflight = await form.send('OPTIONS', '/api/v1/feedback', { headers: { origin: 'https://acme.example' } })
    expect([preflight.status, preflight.headers.get('access-control-allow-origin')]).toEqual([204, '*'])
    const ask = { text: 'Please add a dark theme, it is too bright.', author: 'Ada', email: 'ada@example.org' }
    const sent = await form.post('/api/v1/feedback', ask)
    expect(sent.body.data, sent.text).toEqual({ import: 'feedback', outcome: 'created' })
    expect((await form.post('/api/v1/feedback', ask)).body.data.outcome).toBe('created')
    const known = { ...ask, askId: 'ticket 7' }
    await form.post('/api/v1/feedback', known)
    expect((await form.post('/api/v1/feedback', { ...known, title: 'Dark' })).body.data.outcome).toBe('updated')
    expect(await listOf(service.client)).toHaveLength(3)
    for (const field of [{ votes: 3 }, { status: 'completed' }])
      expect((await form.post('/api/v1/feedback', { ...known, ...field })).status).toBe(400)
    expect((await service.client.post('/api/v1/feedback', { ...known, votes: 3 })).body.data.outcome).toBe('created')
    expect((await form.post('/api/v1/feedback', known)).body.data.outcome).toBe('updated')
    expect((await listOf(service.client, '&sortBy=votes')).map(({ votes }) => votes)).toEqual([3, 0, 0, 0])
    for (const path of ['/api/v1/requests', '/api/v1/feedback/imports', '/api/v1/usage'])
      expect((await form.get(path)).body.error?.code, path).toBe('SCOPE_EXCEEDED')
    for (const text of ['\u200b', '\u202e', '\u2066\u00ad\u2069', '\u3164', '\u2800', '\u200d\ufe0f']) {
      const { body: refused } = await form.post('/api/v1/feedback', { text, title: text })
      expect([text, refused.error?.message]).toEqual([
        text,
        expect.stringMatching(/^text: must have at least 1 character, not 0\.$/),
      ])
    }
    const { body: noAddress } = await form.post('/api/v1/feedback', { ...ask, url: 'javascript:alert(1)' })
    expect(noAddress.error.message).toBe('url: javascript:alert(1) is no web address.')
    const reader = await service.client.post('/api/v1/keys', { name: 'reader', scope: 'read' })
    const refused = await service.clientFor(reader.body.data.apiKey).post('/api/v1/feedback', ask)
    expect(refused.body.error.code).toBe('SCOPE_EXCEEDED')
  })
})
