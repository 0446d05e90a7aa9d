import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { breakingChanges } from '../scripts/breaking-changes.ts'

// Holds (HTTP and secrets): `npm run check` fails if anything in the frozen v1 is removed, narrowed or newly required

const frozen = JSON.parse(readFileSync(new URL('../openapi/v1.json', import.meta.url), 'utf8'))

/** A copy of v1 in which one thing is otherwise. */
// biome-ignore lint/suspicious/noExplicitAny: any part of a document.
function changed(change: (document: any) => void) {
  const document = structuredClone(frozen)
  change(document)
  return breakingChanges(frozen, document)
}

const scrape = (document: typeof frozen) => document.paths['/api/v1/scrape'].post
const bodyOf = (document: typeof frozen) => scrape(document).requestBody.content['application/json'].schema
const search = (document: typeof frozen) => document.paths['/api/v1/requests/search'].post
const request = (document: typeof frozen) => document.components.schemas.Request
const list = (document: typeof frozen) => document.paths['/api/v1/wishes'].get
const parameter = (document: typeof frozen, name: string) =>
  list(document).parameters.find((one: { name: string }) => one.name === name)

it.each<[string, (document: typeof frozen) => void, RegExp]>([
  ['a path', (document) => void delete document.paths['/api/v1/wishes'], /^GET \/api\/v1\/wishes: is gone/],
  ['a method', (document) => void delete document.paths['/api/v1/scrape'].get, /^GET \/api\/v1\/scrape: is gone/],
  ['a name of a call', (document) => (list(document).operationId = 'others'), /operationId/],
  ['a field of a body', (document) => void delete bodyOf(document).properties.depth, /body\.depth: is gone/],
  ['a needed field', (document) => bodyOf(document).required.push('depth'), /body\.depth: is newly required/],
  ['a smaller maximum', (document) => (bodyOf(document).properties.depth.maximum = 5), /body\.depth: maximum/],
  ['a new maximum', (document) => (bodyOf(document).properties.maxCredits.maximum = 9), /body\.maxCredits: maximum/],
  ['a word of a body', (document) => bodyOf(document).properties.platforms.items.enum.pop(), /body\.platforms\[\]: /],
  ['another type', (document) => (bodyOf(document).properties.depth.type = 'string'), /body\.depth: the type/],
  ['a pattern', (document) => (bodyOf(document).properties.topic.pattern = '^a'), /body\.topic: pattern/],
  ['a parameter', (document) => list(document).parameters.pop(), /is gone/],
  [
    'a needed parameter',
    (document) => (parameter(document, 'limit').required = true),
    /query limit: is newly required/,
  ],
  ['a word of a parameter', (document) => parameter(document, 'sortBy').schema.enum.pop(), /query sortBy: /],
  ['another default', (document) => (parameter(document, 'limit').schema.default = 50), /query limit: its default/],
  ['a field of an answer', (document) => void delete request(document).properties.votes, /\.votes: is gone/],
  ['a field that may lack', (document) => request(document).required.pop(), /is not always there any more/],
  [
    'a value that may be null',
    (document) => (request(document).properties.title = { anyOf: [{ type: 'string' }, { type: 'null' }] }),
    /\.title: the type "null"/,
  ],
  [
    'a word of an answer that may not grow',
    (document) => document.components.schemas.Watch.properties.state.enum.push('lost'),
    /\.state: lost is not of its words/,
  ],
  [
    'a header',
    (document) => void delete document.components.responses.RateLimitedWithLimits.headers['Retry-After'],
    /Retry-After/,
  ],
  ['an answer', (document) => void delete search(document).responses['200'], /200: is gone/],
  ['a way to be let in', (document) => (list(document).security = [{ adminKey: [] }]), /does not open it/],
  [
    'a key that is newly needed',
    (document) => (document.paths['/api/session'].post.security = [{ apiKey: [] }]),
    /newly needs a key/,
  ],
  [
    'another default of a body',
    (document) => (bodyOf(document).properties.depth.default = 40),
    /body\.depth: its default/,
  ],
  ['an unknown keyword', (document) => (bodyOf(document).not = {}), /not is not known/],
])('%s breaks clients', (_what, change, fault) => {
  const faults = changed(change)
  expect(faults.length).toBeGreaterThan(0)
  expect(faults.join('\n')).toMatch(fault)
})

it.each<[string, (document: typeof frozen) => void]>([
  ['a path', ({ paths }) => Object.assign(paths, { '/api/v1/more': paths['/api/v1/wishes'] })],
  ['an optional field of a body', (document) => (bodyOf(document).properties.more = { type: 'string' })],
  ['an optional parameter', (document) => list(document).parameters.push({ in: 'query', name: 'more', schema: {} })],
  ['a word of a body', (document) => bodyOf(document).properties.platforms.items.enum.push('fider')],
  ['a greater maximum', (document) => (bodyOf(document).properties.depth.maximum = 80)],
  ['a field of an answer', (document) => (request(document).properties.more = { type: 'string' })],
  [
    'an error that may grow',
    (document) => document.components.schemas.Error.properties.error.properties.code.enum.push('NEW'),
  ],
  ['a refusal that is gone', (document) => void delete list(document).responses['403']],
  ['a description', (document) => (list(document).description = 'Otherwise.')],
])('%s breaks nobody', (_what, change) => {
  expect(changed(change)).toEqual([])
})
