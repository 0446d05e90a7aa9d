import { afterAll, beforeAll, expect, it } from 'vitest'
import { callTool, connect, httpTransport } from '../src/mcp/mcp-testing.ts'
import { makeShare, openShare, storeRequests } from '../src/sharing/shares/testing.ts'
import { foundRequest } from './scripted-platform.ts'
import { startTestService, type TestService } from './service.ts'

// Holds (Search, lists and export): briefs, shares, feeds, exports and agents' answers list what a query's total counts, and give partial matches as a number

let service: TestService
beforeAll(async () => {
  service = await startTestService()
  // What matches in part has the most votes, and is the newest.
  const posts: [title: string, description: string, votes: number][] = [
    ['Two-way Google Calendar sync', 'Please sync both ways.', 5],
    ['Calendar for teams', 'Google events should sync in two directions, each way.', 9],
    ['Syncing with the calendars of Google', 'Two ways, please.', 7],
    ['Android app', 'It should have two tabs, and a way to log in by Google.', 187],
    ['Single sign-on by Google', 'Please add it.', 101],
    ['Calendar week numbers', 'Show them.', 50],
  ]
  const requests = posts.map(([title, description, votes], at) =>
    foundRequest(`${at}`, {
      ...{ title, description, votes, tags: ['dark mode'], authorHandle: `author-${at}` },
      originalCreatedAt: new Date(`2026-02-0${at + 1}T00:00:00Z`),
    }),
  )
  await storeRequests(service, requests)
  const secret = foundRequest('secret', {
    title: 'Calendar colours',
    description: 'Sync the colours of Google, both ways, for two.',
    votes: 2,
  })
  await storeRequests(service, [secret], { platform: 'reddit' })
})
afterAll(() => service.stop())

const query = 'google calendar two way sync'
const full = [
  'Calendar for teams',
  'Syncing with the calendars of Google',
  'Two-way Google Calendar sync',
  'Calendar colours',
]
const inPart = 3

const post = async (path: string, body: object) => {
  const answer = await service.client.post(path, body)
  expect(answer.status, answer.text).toBe(200)
  return answer.body
}
const exported = async (parameters: string) => {
  const response = await fetch(`${service.url}/api/v1/requests/export?${parameters}`, {
    headers: { authorization: `Bearer ${service.apiKey}` },
  })
  return { inPart: response.headers.get('matches-in-part'), text: await response.text() }
}
const feedOf = async (name: string) => {
  const { data } = await post('/api/v1/feeds', { kind: 'search', query: name })
  const answer = await fetch(new URL(new URL(data.jsonUrl).pathname, service.url))
  return (await answer.json()) as { description?: string; items: { title: string; content_text: string }[] }
}

it('every list of a query has its full matches in the order it promises, and says how many match in part', async () => {
  const { meta } = await post('/api/v1/requests/search', { query, total: true, inPart: true })
  expect(meta).toMatchObject({ total: full.length, inPart })

  const { data } = await post('/api/v1/briefs', { query })
  const brief = (await service.client.get(`/api/v1/briefs/${data.briefId}`)).body.data.document
  expect(brief.wishes.map(({ title }: { title: { text: string } }) => title.text)).toEqual(full)
  expect(brief.totals).toMatchObject({ wishes: full.length, requests: full.length, inPart, inPartIsExact: true })
  const file = (await service.client.get(`/api/v1/briefs/${data.briefId}/file`)).text
  expect(file).toMatch(
    /4 wishes in 4 requests[\s\S]*Not counted anywhere: 3 requests with some of the words, but not all/,
  )

  const share = await openShare(service, (await makeShare(service.client, { view: { query, sortBy: 'votes' } })).url)
  const shared = [...share.text.matchAll(/<h2[^>]*>([^<]*)</g)].map(([, title]) => title)
  expect(shared).toEqual([...full.slice(0, 3), 'A wish on Reddit'])
  expect(share.text).toContain('3 requests with some of the words, but not all, are not listed.')

  const { description, items } = await feedOf(query)
  const newest = ['Syncing with the calendars of Google', 'Calendar for teams', 'Two-way Google Calendar sync']
  expect(items.map(({ title }) => title)).toEqual([...newest, 'A request on Reddit'])
  expect(description).toBe('3 requests with some of the words, but not all, are not here.')

  const file2 = await exported(`query=${encodeURIComponent(query)}&sortBy=votes`)
  const records = file2.text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
  expect([records.map(({ title }) => title), file2.inPart]).toEqual([full, '3'])
  expect(records.map(({ publicPages }) => publicPages)).toEqual(['texts', 'texts', 'texts', 'links'])

  const agent = await connect(httpTransport(service.url, service.apiKey))
  const { structured } = await callTool(agent, 'search', { query, sortBy: 'votes' })
  expect(structured).toMatchObject({ matchingRequests: full.length, matchingInPart: inPart })
  expect(structured.results.length).toBe(full.length)
  const withPart = await callTool(agent, 'search', { query, inPart: true })
  expect(withPart.structured.results.length).toBe(full.length + inPart)
})

it('nothing found is said, and is no empty document', async () => {
  const nothing = 'calendar without zeppelins'
  const brief = await service.client.post('/api/v1/briefs', { query: nothing })
  expect([brief.status, brief.body.error.message]).toEqual([
    404,
    'No wish matches; there are 5 requests with some of the words.',
  ])
  const unknown = await service.client.post('/api/v1/briefs', { topic: 'zeppelins' })
  expect([unknown.status, unknown.body.error.message]).toEqual([404, 'No wish matches.'])
  const share = await openShare(service, (await makeShare(service.client, { view: { query: nothing } })).url)
  expect(share.text).toContain('No wish matches at the moment.')
  expect((await feedOf(nothing)).description).toMatch(/^No request matches\. 5 requests/)
  expect(await exported(`query=${encodeURIComponent(nothing)}`)).toEqual({ inPart: '5', text: '' })
})

it('the owner reads what the owner has, and a share of the same brief leaves out what is not passed on', async () => {
  const { data } = await post('/api/v1/briefs', { query: 'calendar colours' })
  const own = (await service.client.get(`/api/v1/briefs/${data.briefId}/file`)).text
  expect(own).toContain('Calendar colours')
  expect(own).toContain('“Sync the colours of Google, both ways, for two.”')
  expect(own).toMatch(/Words from Reddit: they are for you alone/)
  const { url } = await makeShare(service.client, { briefId: data.briefId })
  const shared = (await openShare(service, url)).text
  expect(shared).not.toMatch(/Calendar colours|Sync the colours/)
  expect(shared).toMatch(/A wish on Reddit[\s\S]*Not quoted: 1 request on platforms whose texts are not passed on/)
})

it('a brief of a topic has what says it in words before what has it as a tag alone', async () => {
  await storeRequests(service, [foundRequest('dark', { title: 'A dark theme', description: 'Please.', votes: 1 })])
  const { data } = await post('/api/v1/briefs', { topic: 'dark mode' })
  const { wishes } = (await service.client.get(`/api/v1/briefs/${data.briefId}`)).body.data.document
  expect([wishes[0].title.text, wishes[0].isTagOnly, wishes[1].title.text, wishes[1].isTagOnly]).toEqual([
    'A dark theme',
    undefined,
    'Android app',
    true,
  ])
})

it('a list that has only the first of what matches says how many more there are', async () => {
  const requests = Array.from({ length: 120 }, (_, at) =>
    foundRequest(`parcel-${at}`, { title: `Parcel tracking ${at}`, description: 'Please.', votes: at, tags: [] }),
  )
  await storeRequests(service, requests)
  const file = await fetch(`${service.url}/api/v1/requests/export?query=parcel+tracking`, {
    headers: { authorization: `Bearer ${service.apiKey}` },
  })
  expect([file.headers.get('matches-beyond'), (await file.text()).trimEnd().split('\n').length]).toEqual(['20', 100])
  const { description, items } = await feedOf('parcel tracking')
  expect([description, items.length]).toEqual([
    '70 more requests that match are not here: a feed has the newest 50.',
    50,
  ])
  const share = await openShare(service, (await makeShare(service.client, { view: { query: 'parcel tracking' } })).url)
  expect(share.text).toContain('The first 100 wishes are shown; there are more.')
  // Nor does a brief of their topic miss what says it in words, with fewer votes than all of them.
  const { data } = await post('/api/v1/briefs', { topic: 'dark mode' })
  const { wishes } = (await service.client.get(`/api/v1/briefs/${data.briefId}`)).body.data.document
  expect(wishes[0].title.text).toBe('A dark theme')
})
