import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'

// Trackers over real HTTP, which answer as GitHub and Linear document it: what a caller may rely on, and no more.

/** What a call meets. A cut connection says nothing of what was done. */
export type Break =
  | { kind: 'cut before' }
  | { kind: 'cut after' }
  | { kind: 'cut within' }
  /** Without anything being done. */
  | { kind: 'status'; status: number; headers?: Record<string, string>; body?: unknown }
  /** Done, and yet a failure. */
  | { kind: 'done, and yet'; status: number }

export interface FakeIssue {
  id: string
  number: number
  title: string
  body: string
  createdAt: Date
  /** In the words of the tracker: of GitHub `OPEN`, `COMPLETED`, `NOT_PLANNED`; of Linear the type of a state, or `trashed`. */
  state: string
}

export interface FakeTracker {
  /** The base of its API. */
  url: string
  issues: FakeIssue[]
  /** The operations that were called, as the queries name them. */
  calls: { operation: string; authorization: string; variables: Record<string, unknown> }[]
  /** Decides what a call meets; null for nothing. By default nothing. */
  breaking: (operation: string) => Break | null | Promise<Break | null>
  now: () => Date
  close(): Promise<void>
}

interface Called {
  operationName: string
  variables: Record<string, string> & { ids?: string[] }
}

type Operations = (fake: FakeTracker) => Record<string, (variables: Called['variables']) => unknown>

function send(response: ServerResponse, status: number, body: unknown, headers: Record<string, string> = {}) {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))
}

async function answer(fake: FakeTracker, operations: Operations, request: IncomingMessage, response: ServerResponse) {
  const { operationName: operation, variables } = (await json(request)) as Called
  fake.calls.push({ operation, authorization: request.headers.authorization ?? '', variables })
  const met = await fake.breaking(operation)
  if (met?.kind === 'cut before') return void response.destroy()
  if (met?.kind === 'status') return send(response, met.status, met.body ?? {}, met.headers)
  const body = operations(fake)[operation]!(variables)
  if (met?.kind === 'cut after') return void response.destroy()
  if (met?.kind === 'done, and yet') return send(response, met.status, {})
  if (met?.kind === 'cut within') {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': '10000' })
    return void response.write('{"data":', () => response.destroy())
  }
  send(response, 200, body)
}

async function startFake(operations: Operations, now: () => Date): Promise<FakeTracker> {
  const server: Server = createServer((request, response) => void answer(fake, operations, request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const fake: FakeTracker = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    ...{ issues: [], calls: [], now, breaking: () => null },
    close: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
  return fake
}

const notFound = (path: string) => ({ type: 'NOT_FOUND', path: [path], message: 'Could not resolve to a node.' })

/** GitHub with one repository, `acme/app`. @param now of its own clock. */
export const startFakeGithub = (now: () => Date): Promise<FakeTracker> =>
  startFake((fake) => {
    const shown = ({ id, number, body, createdAt, state }: FakeIssue) => ({
      ...{ id, number, body, createdAt: createdAt.toISOString() },
      url: `https://github.com/acme/app/issues/${number}`,
      state: state === 'OPEN' ? 'OPEN' : 'CLOSED',
      stateReason: state === 'OPEN' ? null : state,
      labels: { nodes: [] },
    })
    const find = (id: string) => fake.issues.find((one) => one.id === id)
    return {
      Repository: ({ owner, name }) =>
        `${owner}/${name}` === 'acme/app'
          ? { data: { repository: { id: 'R_1', hasIssuesEnabled: true, isArchived: false } } }
          : { data: { repository: null }, errors: [notFound('repository')] },
      Newest: ({ since, after }) => {
        const from = Number(after ?? 0)
        const all = fake.issues.filter((one) => one.createdAt >= new Date(since!)).toReversed()
        const pageInfo = { hasNextPage: all.length > from + 50, endCursor: String(from + 50) }
        return { data: { node: { issues: { nodes: all.slice(from, from + 50).map(shown), pageInfo } } } }
      },
      Create: ({ title, body }) => {
        const number = fake.issues.length + 1
        const made = { id: `I_${number}`, number, title: title!, body: body!, createdAt: fake.now(), state: 'OPEN' }
        fake.issues.push(made)
        return { data: { createIssue: { issue: shown(made) } } }
      },
      Statuses: ({ ids = [] }) => {
        const nodes = ids.map((id) => find(id)).map((one) => (one === undefined ? null : shown(one)))
        const errors = nodes.flatMap((one) => (one === null ? [notFound('nodes')] : []))
        return { data: { nodes }, ...(errors.length > 0 ? { errors } : {}) }
      },
      Close: ({ id }) => {
        const issue = find(id!)
        if (issue === undefined) return { data: { closeIssue: null }, errors: [notFound('closeIssue')] }
        issue.state = 'NOT_PLANNED'
        return { data: { closeIssue: { issue: { id } } } }
      },
    }
  }, now)

const refused = (message: string) => ({ errors: [{ message, extensions: { code: 'INPUT_ERROR' } }] })

/** Linear with one team, `APP`. */
export const startFakeLinear = (now: () => Date): Promise<FakeTracker> =>
  startFake((fake) => {
    const shown = ({ id, number, state }: FakeIssue) => ({
      ...{ id, identifier: `APP-${number}`, url: `https://linear.app/acme/issue/APP-${number}` },
      ...{ trashed: state === 'trashed' ? true : null, state: { type: state === 'trashed' ? 'canceled' : state } },
    })
    return {
      Team: ({ team }) => ({ data: { teams: { nodes: team === 'APP' ? [{ id: teamId, key: 'APP' }] : [] } } }),
      Issues: ({ ids = [] }) => ({
        data: { issues: { nodes: fake.issues.filter(({ id }) => ids.includes(id)).map(shown) } },
      }),
      Create: ({ id, title, description }) => {
        if (fake.issues.some((one) => one.id === id)) return refused('Conflict on insert of Issue.')
        const number = fake.issues.length + 1
        const made = { id: id!, number, title: title!, body: description!, createdAt: fake.now(), state: 'backlog' }
        fake.issues.push(made)
        return { data: { issueCreate: { issue: shown(made) } } }
      },
      Delete: ({ id }) => {
        const issue = fake.issues.find((one) => one.id === id)
        if (issue === undefined) return refused('Entity not found: Issue')
        issue.state = 'trashed'
        return { data: { issueDelete: { success: true } } }
      },
    }
  }, now)

const teamId = randomUUID()
