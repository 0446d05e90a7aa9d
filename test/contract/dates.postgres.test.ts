import { beforeAll, expect, it } from 'vitest'
import { dateFormat } from '../../src/http/dates.ts'
import { json, type Key, prepareContract, readDocument } from './testing.ts'

// Takes seconds: every date of every route is called with every wrong form.

// Every date that an operation of the API document takes, in its query string or its body, has one grammar: a day or an RFC 3339
// date-time, or a 400 that names the field and says both forms.

const contract = prepareContract(60)

interface Schema {
  format?: string
  properties?: Record<string, Schema>
}
interface Operation {
  parameters?: { in: string; name: string; schema: Schema }[]
  requestBody?: { content: Record<string, { schema: Schema }> }
  security?: object[]
}
interface Target {
  method: string
  path: string
  key: Key
  place: 'query' | 'body'
  /** Where in the query string or the body the date is. */
  field: string
}

/** The paths of the dates inside a schema. */
const datesIn = (schema: Schema, path = ''): string[] =>
  schema.format === dateFormat
    ? [path]
    : Object.entries(schema.properties ?? {}).flatMap(([name, inner]) =>
        datesIn(inner, path === '' ? name : `${path}.${name}`),
      )

function targetsOf(method: string, path: string, operation: Operation): Target[] {
  const { parameters = [], requestBody, security = [] } = operation
  const key: Key = security.some((scheme) => 'adminKey' in scheme) ? 'admin' : 'account'
  const target = { method: method.toUpperCase(), path, key }
  const inQuery = parameters.flatMap(({ name, schema }) => datesIn(schema, name))
  const inBody = datesIn(requestBody?.content['application/json']?.schema ?? {})
  return [
    ...inQuery.map((field) => ({ ...target, place: 'query' as const, field })),
    ...inBody.map((field) => ({ ...target, place: 'body' as const, field })),
  ]
}

let targets: Target[] = []
let accountId: string
beforeAll(async () => {
  accountId = (await contract.clientOf('admin').get('/api/admin/accounts')).body.data.results[0].accountId
  const body = await readDocument(contract.service.client)
  const paths = Object.entries(body.paths as Record<string, Record<string, Operation>>)
  targets = paths.flatMap(([path, operations]) =>
    Object.entries(operations).flatMap(([method, operation]) => targetsOf(method, path, operation)),
  )
})

/** What else the body of a call needs, so that nothing but the date is wrong. */
const required: Record<string, object> = {
  '/api/v1/requests/search': { query: 'dark' },
  '/api/v1/keys': { name: 'a' },
  '/api/admin/accounts/{accountId}/keys': { name: 'a' },
  '/api/v1/feeds': { kind: 'search', query: 'dark' },
  '/api/v1/views': { name: 'a' },
  '/api/v1/briefs': { topic: 'dark mode' },
  '/api/v1/feedback': { text: 'Please add tabs' },
  '/api/v1/watches': { topic: 'dark mode', schedule: 'daily', monthlyCredits: 100 },
}

/** What is stored with a date is not stored hundreds of times, and a key expires in the future only. */
const isStored = ({ method, path }: Target) => method !== 'GET' && !/\/(search|read)$/.test(path)

/** An object that has the value at a path. */
const nested = (path: string, value: string): object =>
  path.split('.').reduceRight<unknown>((inner, name) => ({ [name]: inner }), value) as object

function send({ method, path, key, place, field }: Target, text: string) {
  const client = contract.clientOf(key)
  if (place === 'query') {
    return client.send(method, `${path.replace('{accountId}', accountId)}?${field}=${encodeURIComponent(text)}`)
  }
  const body = JSON.stringify({ ...required[path], ...nested(field, text) })
  return client.send(method, path, { headers: json, body })
}

it('every list, search and export has the same dates', () => {
  expect(targets.map(({ path, field }) => `${path} ${field}`).sort()).toEqual([
    '/api/admin/accounts/{accountId}/keys expiresAt',
    '/api/admin/accounts/{accountId}/usage/collections since',
    '/api/admin/accounts/{accountId}/usage/collections until',
    '/api/v1/briefs filters.since',
    '/api/v1/briefs filters.until',
    '/api/v1/briefs period.since',
    '/api/v1/briefs period.until',
    '/api/v1/changes since',
    '/api/v1/feedback createdAt',
    '/api/v1/feeds filters.since',
    '/api/v1/feeds filters.until',
    '/api/v1/keys expiresAt',
    '/api/v1/news since',
    '/api/v1/news/read until',
    '/api/v1/requests since',
    '/api/v1/requests until',
    '/api/v1/requests/export since',
    '/api/v1/requests/export until',
    '/api/v1/requests/facets since',
    '/api/v1/requests/facets until',
    '/api/v1/requests/search filters.since',
    '/api/v1/requests/search filters.until',
    '/api/v1/shares view.filters.since',
    '/api/v1/shares view.filters.until',
    '/api/v1/usage/collections since',
    '/api/v1/usage/collections until',
    '/api/v1/views view.filters.since',
    '/api/v1/views view.filters.until',
    '/api/v1/views/{viewId} view.filters.since',
    '/api/v1/views/{viewId} view.filters.until',
    '/api/v1/watches filters.since',
    '/api/v1/watches filters.until',
    '/api/v1/watches/{watchId} filters.since',
    '/api/v1/watches/{watchId} filters.until',
    '/api/v1/wishes since',
    '/api/v1/wishes until',
  ])
})

const dates = [
  ...['2026-01-31', '2024-02-29', '0000-01-01', '9999-12-31'],
  ...['2026-01-31T10:00:00Z', '2026-01-31t10:00:00z', '2026-01-31T10:00:00.5Z', '2026-01-31T10:00:00.123456789Z'],
  ...['2026-01-31T10:00:00+01:00', '2026-01-31T23:59:59-23:59', '2026-01-31T10:00:00-00:00'],
  ...['0000-01-01T00:00:00+23:59', '9999-12-31T23:59:59.999-23:59', `2026-01-31T10:00:00.${'1'.repeat(100)}Z`],
]

it('a day and an RFC 3339 date-time are accepted everywhere', async () => {
  for (const target of targets.filter((one) => !isStored(one))) {
    for (const text of dates) {
      const { status } = await send(target, text)
      expect([target.path, target.field, text, status]).toEqual([target.path, target.field, text, 200])
    }
  }
})

const otherTexts = [
  // Seconds and a zone are part of a date-time, and its zone has a colon.
  ...[
    '2026-01-01T10:00Z',
    '2026-01-01T10Z',
    '2026-01-01T10:00:00',
    '2026-01-01T10:00:00+0100',
    '2026-01-01T10:00:00+01',
  ],
  ...['2026-01-01 10:00:00Z', '2026-01-01T10:00:00 Z', '2026-01-01T10:00:00,5Z', '2026-01-01T10:00:00.Z'],
  // Days and times that do not exist; a leap second has no moment of its own.
  ...['2026-02-30', '2025-02-29', '2026-13-01', '2026-00-10', '2026-01-00', '2026-02-30T10:00:00Z'],
  ...['2026-01-01T24:00:00Z', '2026-01-01T10:60:00Z', '2016-12-31T23:59:60Z', '2026-01-01T10:00:00+24:00'],
  // Other forms.
  ...['yesterday', '2026', '2026-01', '2026-1-1', '20260101', '2026-W01', '2026-001', '01/02/2026', '1767225600'],
  ...['', ' 2026-01-01', '2026-01-01 ', '2026-01-01\n', '+002026-01-01', '-000001-01-01', '２０２６-01-01', 'null'],
]

it('anything else is a 400 that names the field and says both forms', async () => {
  for (const target of targets) {
    for (const text of otherTexts) {
      const { status, body } = await send(target, text)
      expect([target.path, text, status, body.error?.details]).toEqual([
        ...[target.path, text, 400],
        [
          {
            path: target.field,
            message: `must be a day, 2026-01-31, or an RFC 3339 date-time, 2026-01-31T10:00:00Z, that exists, not ${JSON.stringify(text)}`,
          },
        ],
      ])
    }
  }
})
