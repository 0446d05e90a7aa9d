import { describe, expect, it } from 'vitest'
import type { RequestStatus } from '../../../database/column-types.ts'
import { SourceRefusedError } from '../../platform.ts'
import {
  fetchPageOrNull,
  type Handler,
  openTestBudget as openBudget,
  sendJson,
  startServer,
  testClient,
  testClock,
} from '../testing.ts'
import { statusOfQuestion, statusOfTags } from './post.ts'
import { createStackexchange } from './search.ts'

// Holds (Jobs): a request is deleted on its platform's explicit sign, or when missing on three days from a readable source

const { signal } = new AbortController()
const question = { question_id: 55, title: 'Dark mode', score: 2 }
const noSite = { error_id: 400, error_name: 'bad_parameter', error_message: 'No site found for name `nosuch`' }

async function setUp(handler: Handler) {
  const { baseUrl, received } = await startServer((response, asked, request) =>
    asked.query.site === 'nosuch' ? sendJson(response, noSite, 400) : handler(response, asked, request),
  )
  const clock = testClock()
  const stackexchange = createStackexchange({ client: testClient(clock), clock, openBudget, baseUrl, sites: ['meta'] })
  return { stackexchange, received }
}

describe('sites of Stack Exchange that an account names', () => {
  it('are searched instead of the configured ones, and are the source of what is found', async () => {
    const { stackexchange, received } = await setUp((response) => sendJson(response, { items: [question] }))
    const sources = ['softwarerecs', 'ux.meta']
    const first = await fetchPageOrNull(stackexchange, { sources })
    const second = await fetchPageOrNull(stackexchange, { sources, cursor: first!.nextCursor })
    expect(received.map(({ query }) => query.site)).toEqual(sources)
    expect([first, second].map((page) => page!.requests.map(({ ownSource }) => ownSource))).toEqual([
      ['softwarerecs'],
      ['ux.meta'],
    ])
  })

  it('must exist', async () => {
    const { stackexchange, received } = await setUp((response) => sendJson(response, { items: [{}] }))
    await stackexchange.verifySource!('softwarerecs', signal)
    expect(received).toMatchObject([{ path: '/info', query: { site: 'softwarerecs' } }])
    await expect(stackexchange.verifySource!('nosuch', signal)).rejects.toThrow(SourceRefusedError)
    await expect(stackexchange.verifySource!('nosuch', signal)).rejects.toThrow('the sources of the job')
  })
})

describe('questions of Stack Exchange that are read again', () => {
  it('are found with new votes, or missing, in one request', async () => {
    const { stackexchange, received } = await setUp((response) => sendJson(response, { items: [question] }))
    expect(await stackexchange.refresh!.read(['meta:55', 'meta:56'], signal)).toMatchObject([
      { handle: 'meta:55', state: 'found', request: { sourceId: 'meta:55', votes: 2 } },
      { handle: 'meta:56', state: 'missing' },
    ])
    expect(received).toMatchObject([{ path: '/questions/55;56', query: { site: 'meta', pagesize: '100' } }])
  })

  it.each([
    ['left out', { items: [] }, 200],
    ['an error 404', { error_id: 404, error_name: 'no_method' }, 400],
  ])('are missing also in a request of their own: %s', async (_how, body, status) => {
    const { stackexchange } = await setUp((response) => sendJson(response, body, status))
    expect(await stackexchange.refresh!.read(['meta:56'], signal)).toEqual([{ handle: 'meta:56', state: 'missing' }])
  })

  it('are unreadable while their site cannot be read', async () => {
    const { stackexchange } = await setUp((response) => sendJson(response, { items: [] }))
    expect(await stackexchange.refresh!.read(['nosuch:1'], signal)).toEqual([
      { handle: 'nosuch:1', state: 'unreadable' },
    ])
  })
})

describe('the status of a question of Stack Exchange', () => {
  it.each<[tags: string[], isClosed: boolean, reason: string | null, RequestStatus]>([
    [['feature-request'], false, null, 'open'],
    [['status-completed'], false, null, 'completed'],
    [['status-completed'], true, 'Duplicate', 'completed'],
    [['status-declined'], false, null, 'declined'],
    [['status-declined'], true, 'Opinion-based', 'declined'],
    [['status-planned'], false, null, 'planned'],
    [['status-deferred'], false, null, 'planned'],
    [['status-review'], false, null, 'open'],
    [['status-norepro', 'status-reproduced'], false, null, 'open'],
    [['status-bydesign'], false, null, 'declined'],
    [['status-bydesign', 'status-completed'], false, null, 'completed'],
    [[], true, 'Duplicate', 'duplicate'],
    [[], true, 'exact duplicate', 'duplicate'],
    [[], true, 'Needs more focus', 'closed'],
    [[], true, null, 'closed'],
  ])('a question with tags %j, closed %s for %s, is %s', (tags, isClosed, reason, status) => {
    expect(statusOfQuestion(tags, { isClosed, reason })).toBe(status)
  })

  it('stored tags of Stack Exchange tell a decision by themselves', () => {
    expect(statusOfTags(['feature-request', 'status-declined'])).toBe('declined')
    expect(statusOfTags(['feature-request'])).toBeNull()
  })

  it('a question of Stack Exchange that migrated is closed, without a date', async () => {
    const { stackexchange } = await setUp((response) =>
      sendJson(response, { items: [{ ...question, migrated_to: { question_id: 9 } }] }),
    )
    const { requests } = (await fetchPageOrNull(stackexchange))!
    expect(requests).toMatchObject([{ status: 'closed', statusChangedAt: null }])
  })
})
