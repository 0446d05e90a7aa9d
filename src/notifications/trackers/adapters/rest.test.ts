import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { Webhook } from 'standardwebhooks'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createOutbound } from '../../../http/outbound/outbound.ts'
import { systemClock } from '../../../runtime/clock.ts'
import { foreignText } from '../../../runtime/text/foreign.ts'
import { line, withTexts } from '../../../sharing/briefs/lines.ts'
import { issueForTracker } from '../issue-text.ts'
import type { TrackerFields } from '../tracker.ts'
import { createTrackers } from './adapters.ts'

// Holds (Watches, news and channels): GitLab, Jira and webhooks get a pushed wish in their documented form, and a repeat finds it

// The answers are those of the documents that the adapters name; what they may leave out is left out.

interface Call {
  method: string
  path: string
  headers: Record<string, string | undefined>
  body: string
}
type Answering = (call: Call) => { status?: number; body?: unknown }

let server: Server
let url: string
let calls: Call[] = []
let answering: Answering = () => ({ status: 404 })
const outbound = createOutbound({ allowPrivateTargets: true, userAgent: 'test', clock: systemClock })
const adapters = createTrackers(outbound, systemClock)

beforeAll(async () => {
  server = createServer(async (request, response) => {
    const { method = '', url: path = '', headers } = request
    const call = { method, path, headers: headers as Call['headers'], body: await text(request) }
    calls.push(call)
    const { status = 200, body = '' } = answering(call)
    response.writeHead(status).end(typeof body === 'string' ? body : JSON.stringify(body))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
beforeEach(() => {
  calls = []
  answering = () => ({ status: 404 })
})
afterAll(async () => {
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
  await outbound.close()
})

const push = { id: '5f0c1f9e-1111-4222-8333-444455556666', since: new Date('2026-06-01T12:00:00Z') }
const quote = 'Please add a dark mode, *not* only a dark logo.'
const origin = [{ text: 'GitLab', url: 'https://gitlab.com/a/b/-/issues/1', platform: 'gitlab' }]
const issueText = issueForTracker({
  title: foreignText('Dark mode'),
  blocks: [line('12 votes'), { kind: 'quote' as const, text: quote, isWhole: true, origin }].map((block) =>
    withTexts(block, foreignText),
  ),
  counts: { requests: 1, votes: 12, voices: 1, own: null },
})
const signal = () => AbortSignal.timeout(5_000)
const last = () => calls.at(-1)!
const lastBody = () => JSON.parse(last().body)

async function prepare(type: 'gitlab' | 'jira' | 'webhook', fields: TrackerFields, answer: Answering) {
  answering = answer
  const adapter = adapters.get(type)!
  return { adapter, ...(await adapter.prepare({ url, ...fields }, signal())) }
}

describe('GitLab', () => {
  const project = { body: { id: 7, path_with_namespace: 'acme/app', issues_enabled: true } }
  const marked = { iid: 3, web_url: `${'https://gitlab.com'}/acme/app/-/issues/3`, state: 'opened', labels: [] }
  const make = () => prepare('gitlab', { project: 'acme/app', token: 'token' }, () => project)

  it('is asked for its project, and makes an issue with a marker', async () => {
    const { adapter, config, hint } = await make()
    expect(last()).toMatchObject({ path: '/api/v4/projects/acme%2Fapp', headers: { authorization: 'Bearer token' } })
    expect(hint).toContain('acme/app')
    answering = () => ({ status: 201, body: marked })
    const issue = await adapter.create(config, push, issueText, signal())
    expect(issue).toEqual({ id: '3', key: '#3', url: marked.web_url, status: 'open' })
    expect(last()).toMatchObject({ method: 'POST', path: '/api/v4/projects/7/issues' })
    expect(lastBody()).toMatchObject({ title: 'Dark mode' })
    expect(lastBody().description).toContain(`<!-- wishwell:${push.id} -->`)
    expect(lastBody().description).toContain('\\*not\\*')
  })

  it('finds an issue by its marker, to the end of the list', async () => {
    const { adapter, config } = await make()
    const other = { iid: 9, description: 'another' }
    const pages = [
      Array.from({ length: 50 }, () => other),
      [other, { ...marked, description: `<!-- wishwell:${push.id} -->` }],
    ]
    answering = ({ path }) => ({ body: pages[Number(new URL(path, url).searchParams.get('page')) - 1] ?? [] })
    expect(await adapter.find!(config, push, signal())).toMatchObject({ id: '3' })
    expect(last().path).toContain('created_after=2026-05-31T12')
    pages.pop()
    expect(await adapter.find!(config, push, signal())).toBeNull()
  })

  it('says what became of issues, and closes one', async () => {
    const { adapter, config } = await make()
    answering = () => ({
      body: [marked, { iid: 4, state: 'closed', labels: [] }, { iid: 5, state: 'closed', labels: ['wontfix'] }],
    })
    const statuses = await adapter.read!(config, ['3', '4', '5', '6'], signal())
    expect([...statuses]).toEqual([
      ['3', 'open'],
      ['4', 'closed'],
      ['5', 'declined'],
    ])
    await adapter.undo(config, { id: '3' }, push, signal())
    expect(last()).toMatchObject({ method: 'PUT', path: '/api/v4/projects/7/issues/3' })
    expect(lastBody()).toEqual({ state_event: 'close' })
    answering = () => ({ status: 404 })
    await adapter.undo(config, { id: '3' }, push, signal())
    answering = () => ({ status: 403 })
    await expect(adapter.undo(config, { id: '3' }, push, signal())).rejects.toMatchObject({ kind: 'refused' })
  })
})

describe('Jira', () => {
  const types = [
    { id: '1', name: 'Sub-task', subtask: true },
    { id: '2', name: 'Bug', subtask: false },
    { id: '3', name: 'Task', subtask: false },
  ]
  const fields = { project: 'APP', email: 'ada@example.org', token: 'token' }
  const make = () => prepare('jira', fields, () => ({ body: { id: '10000', key: 'APP', issueTypes: types } }))

  it('makes an issue with a label, of the type that fits, in a document without markup', async () => {
    const { adapter, config, hint } = await make()
    const credentials = Buffer.from('ada@example.org:token').toString('base64')
    expect(last()).toMatchObject({
      path: '/rest/api/3/project/APP',
      headers: { authorization: `Basic ${credentials}` },
    })
    expect(hint).toMatch(/^APP \(/)
    answering = () => ({ status: 201, body: { id: '10100', key: 'APP-1' } })
    const issue = await adapter.create(config, push, issueText, signal())
    expect(issue).toEqual({ id: '10100', key: 'APP-1', url: `${url}/browse/APP-1`, status: 'open' })
    const { description, ...others } = lastBody().fields
    expect(others).toEqual({
      ...{ project: { id: '10000' }, issuetype: { id: '3' }, summary: 'Dark mode', labels: [`wishwell-${push.id}`] },
    })
    const link = [{ type: 'link', attrs: { href: origin[0]!.url } }]
    expect(description).toEqual({
      type: 'doc',
      version: 1,
      content: [
        { type: 'paragraph', content: [{ type: 'text', text: '12 votes' }] },
        {
          type: 'blockquote',
          content: [
            { type: 'paragraph', content: [{ type: 'text', text: `“${quote}”` }] },
            { type: 'paragraph', content: [{ type: 'text', text: 'GitLab', marks: link }] },
          ],
        },
      ],
    })
  })

  it.each([
    ['Task', types, undefined],
    [
      'Aufgabe',
      [
        { id: '1', name: 'Epik', hierarchyLevel: 1 },
        { id: '2', name: 'Fehler', hierarchyLevel: 0 },
        { id: '3', name: 'Aufgabe', hierarchyLevel: 0 },
      ],
      undefined,
    ],
    [
      'a type at level 0, whatever it is called',
      [
        { id: '1', name: 'Kohta', hierarchyLevel: 1 },
        { id: '2', name: 'Alikohta', hierarchyLevel: -1, subtask: true },
        { id: '3', name: 'Muu', hierarchyLevel: 0 },
      ],
      undefined,
    ],
    ['the chosen name', [...types, { id: '4', name: 'Wunsch' }], 'wunsch'],
    ['the chosen id', types, '2'],
  ] as const)('makes issues of the type that fits: %s', async (_name, issueTypes, issueType) => {
    const answer = { body: { id: '10000', key: 'APP', issueTypes } }
    const { config } = await prepare('jira', { ...fields, issueType }, () => answer)
    const expected = issueType === undefined ? '3' : issueType === 'wunsch' ? '4' : issueType
    expect(config).toMatchObject({ issueTypeId: expected })
    expect(last().headers).toMatchObject({ 'accept-language': 'en', 'x-force-accept-language': 'true' })
  })

  it.each(['.', '..'])('asks for no path above that of projects: %s', async (project) => {
    const making = prepare('jira', { ...fields, project }, () => ({ body: {} }))
    await expect(making).rejects.toMatchObject({ extras: { details: [{ path: 'project', message: 'is no name' }] } })
    expect(calls).toEqual([])
  })

  it('names the types of a project that has not the chosen one', async () => {
    const answer = { body: { id: '10000', key: 'APP', issueTypes: types } }
    await expect(prepare('jira', { ...fields, issueType: 'Wish' }, () => answer)).rejects.toMatchObject({
      extras: { details: [{ path: 'issueType', message: "is none of the project's types: Bug, Task" }] },
    })
  })

  it('finds an issue by its label, says what became of issues, and deletes one', async () => {
    const { adapter, config } = await make()
    const fieldsOf = (key: string, resolution: string | null = null) => ({
      ...{ status: { statusCategory: { key } }, resolution: resolution === null ? null : { name: resolution } },
    })
    answering = () => ({ body: { issues: [{ id: '10100', key: 'APP-1', fields: fieldsOf('indeterminate') }] } })
    expect(await adapter.find!(config, push, signal())).toMatchObject({ key: 'APP-1', status: 'in_progress' })
    expect(lastBody().jql).toBe(`labels = "wishwell-${push.id}"`)
    answering = () => ({ body: { issues: [] } })
    expect(await adapter.find!(config, push, signal())).toBeNull()
    answering = () => ({
      body: {
        issues: [
          { id: '1', fields: fieldsOf('new') },
          { id: '2', fields: fieldsOf('done', 'Done') },
          { id: '3', fields: fieldsOf('done', "Won't Do") },
          { id: '4', fields: fieldsOf('done', 'Duplicate') },
        ],
      },
    })
    expect([...(await adapter.read!(config, ['1', '2', '3', '4', '5'], signal())).values()]).toEqual([
      ...['open', 'completed', 'declined', 'duplicate'],
    ])
    answering = () => ({ status: 204 })
    await adapter.undo(config, { id: '1' }, push, signal())
    expect(last()).toMatchObject({ method: 'DELETE', path: '/rest/api/3/issue/1' })
  })
})

describe('a webhook', () => {
  it('gets a signed message with one id in every try, and may name its issue', async () => {
    const { adapter, config, secret, hint } = await prepare('webhook', {}, () => ({}))
    expect(calls).toEqual([])
    expect(hint).toBe(new URL(url).host)
    answering = () => ({ body: { id: 'T-1', url: 'https://tickets.example/T-1' } })
    const issue = { id: 'T-1', key: 'T-1', url: 'https://tickets.example/T-1', status: null }
    expect(await adapter.create(config, push, issueText, signal())).toEqual(issue)
    answering = () => ({ body: 'ok' })
    const unnamed = { id: push.id, key: push.id, url: null, status: null }
    expect(await adapter.create(config, push, issueText, signal())).toEqual(unnamed)
    for (const { headers, body } of calls) {
      expect(headers['webhook-id']).toBe(push.id)
      const { type, data } = new Webhook(secret!).verify(body, headers as Record<string, string>) as never
      expect(type).toBe('wish.pushed')
      expect(data).toMatchObject({ pushId: push.id, title: 'Dark mode', votes: 12, own: null })
    }
    await adapter.undo(config, { id: 'T-1' }, push, signal())
    expect(last().headers['webhook-id']).toBe(`${push.id}-undone`)
    expect(lastBody()).toMatchObject({ type: 'wish.push_undone', data: { pushId: push.id, id: 'T-1' } })
  })

  it.each([
    [400, 'refused'],
    [404, 'missing'],
    [429, 'tracker'],
    [500, 'unclear'],
  ])('that answers %i says that it is %s', async (status, kind) => {
    const { adapter, config } = await prepare('webhook', {}, () => ({ status }))
    await expect(adapter.create(config, push, issueText, signal())).rejects.toMatchObject({ kind })
  })
})

it.each([
  ['jira', { errorMessages: [], errors: { labels: "Field 'labels' cannot be set. Secret" } }, 'labels'],
  [
    'jira',
    { errors: { customfield_10011: 'Epic Name is required.', summary: 'Too long' } },
    'customfield_10011, summary',
  ],
  ['jira', { errors: { 'a <b>': 'x' } }, null],
  ['gitlab', { message: { title: ['is too long (maximum is 255 characters)'] } }, 'title'],
  ['gitlab', { message: '400 Bad request' }, null],
] as const)('a refusal of %s names the refused fields, and nothing else: %j', async (type, body, named) => {
  const made = { id: 1, key: 'APP', issueTypes: [{ id: '3', name: 'Task' }] }
  const given = type === 'jira' ? { email: 'a@example.org' } : {}
  const { adapter, config } = await prepare(type, { project: 'APP', token: 'a', ...given }, () => ({ body: made }))
  answering = () => ({ status: 400, body })
  const service = type === 'jira' ? 'Jira' : 'GitLab'
  await expect(adapter.create(config, push, issueText, signal())).rejects.toMatchObject({
    kind: 'refused',
    message: `${service} refuses it (400)${named === null ? '' : `: ${named}`}.`,
  })
})

it.each([
  ['a page', { body: '<html>' }, 'INVALID_REQUEST'],
  ['a page that is not there', { status: 404, body: '<html>' }, 'INVALID_REQUEST'],
  ['a limit', { status: 429 }, 'CONFLICT'],
  ['a fault of it', { status: 502 }, 'CONFLICT'],
] as const)(
  'an address that answers with %s is told at the field, if it is the reason',
  async (_what, answer, code) => {
    const failing = prepare('gitlab', { project: 'acme/app', token: 'a' }, () => answer)
    const details = code === 'CONFLICT' ? undefined : [expect.objectContaining({ path: 'url' })]
    await expect(failing).rejects.toMatchObject({ code, extras: details === undefined ? {} : { details } })
  },
)

it.each([
  ['gitlab', { token: 'a' }, 'project'],
  ['jira', { project: 'APP', token: 'a' }, 'email'],
  ['jira', { project: 'APP', token: 'a', email: 'a@example.org', url: undefined }, 'url'],
  ['gitlab', { token: 'a', project: 'acme/unknown' }, 'project'],
] as const)('%s with %j is refused for its %s', async (type, fields, field) => {
  await expect(prepare(type, fields, () => ({ status: 404 }))).rejects.toMatchObject({
    extras: { details: [{ path: field }] },
  })
})
