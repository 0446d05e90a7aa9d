import { beforeAll, expect, it } from 'vitest'
import { verifyLedger } from '../../src/credits/verify.ts'
import { json, type Key, prepareContract, readDocument } from './testing.ts'

// Holds (HTTP and secrets): a number in a query string is a plain decimal within its bounds

// Takes seconds: every number of every route is called with every wrong form.

// Every number and every boolean of every query string and path, as the API document names them: a plain decimal, or `true` or
// `false`, or a 400 that says which parameter it is.

const contract = prepareContract(100)

interface Parameter {
  in: string
  name: string
  schema: { type?: string; minimum?: number; maximum?: number; items?: { type?: string } }
}
interface Operation {
  parameters?: Parameter[]
  security?: object[]
}
interface Target {
  method: string
  path: string
  key: Key
  parameter: Parameter
}

let targets: Target[] = []
beforeAll(async () => {
  const body = await readDocument(contract.service.client)
  const paths = Object.entries(body.paths as Record<string, Record<string, Operation>>)
  targets = paths.flatMap(([path, operations]) =>
    Object.entries(operations).flatMap(([method, { parameters = [], security = [] }]) => {
      const key: Key = security.some((scheme) => 'adminKey' in scheme) ? 'admin' : 'account'
      return parameters.map((parameter) => ({ method: method.toUpperCase(), path, key, parameter }))
    }),
  )
})

/** What else a call needs, so that nothing but the parameter is wrong; live, where that costs something. */
const beside: Record<string, string> = {
  '/api/v1/requests': 'source=realtime&topic=dark%20mode',
  '/api/v1/requests/export': 'query=dark',
  'POST /api/v1/feedback/imports': 'name=a',
  'POST /api/admin/feedback/imports': 'name=a',
}
/** A file that can be imported, and that no search above finds. */
const file = '{"title":"Please add tabs"}'
const someId = '00000000-0000-4000-8000-000000000000'

function send({ method, path, key, parameter: { in: place, name } }: Target, text: string) {
  const query = [beside[path] ?? beside[`${method} ${path}`], ...(place === 'query' ? [`${name}=${text}`] : [])]
    .filter(Boolean)
    .join('&')
  const own = (part: string) => (place === 'path' && part === name ? text : someId)
  const address = `${path.replaceAll(/\{(\w+)\}/g, (_all, part: string) => own(part))}?${query}`
  const body =
    method === 'GET' || method === 'DELETE' ? {} : { headers: json, body: path.endsWith('/imports') ? file : '{}' }
  return contract.clientOf(key).send(method, address, body)
}

async function expectRefused(target: Target, texts: readonly string[]): Promise<void> {
  for (const text of texts) {
    const { status, body } = await send(target, text)
    const { method, path, parameter } = target
    const call = `${method} ${path} ${parameter.name}=${text.slice(0, 20)}`
    expect([call, status, body.error?.code, body.error?.details?.[0]?.path.split('.')[0]]).toEqual([
      ...[call, 400, 'INVALID_REQUEST', parameter.name],
    ])
  }
}

const notPlain = [
  ...['Infinity', '-Infinity', 'NaN', '0x10', '0b1', '0o7', '1e1', '1E1', '%2010', '10%20', '%0910', '+10', '%2B10'],
  ...['1_0', '1,0', '', '-', '.5', '5.', '--1', '%D9%A1', '９', 'true', 'null', '1n', '9'.repeat(400)],
]
const fractions = ['1.5', '1.0', '-1.5']
const typeOf = ({ parameter: { schema } }: Target) => schema.type ?? schema.items?.type

it('a number of a query string or a path is a plain decimal, or a 400 that names it, and nothing is spent', async () => {
  const numbers = targets.filter((target) => ['integer', 'number'].includes(typeOf(target) ?? ''))
  const names = numbers.map(({ path, parameter }) => `${path} ${parameter.name}`)
  expect(names).toEqual(
    expect.arrayContaining(['/api/v1/requests limit', '/api/v1/usage days', '/api/admin/jobs limit']),
  )
  for (const target of numbers) {
    const { type, minimum, maximum } = target.parameter.schema
    await expectRefused(target, [...notPlain, ...(type === 'integer' ? fractions : [])])
    // Without its bounds a number would reach what cannot take it.
    expect([target.path, typeof minimum, typeof maximum]).toEqual([target.path, 'number', 'number'])
    await expectRefused(target, [`${minimum! - 1}`, `${maximum! + 1}`, `-${'9'.repeat(20)}`, '9'.repeat(20)])
  }
  const { database } = contract.service
  expect(await database.selectFrom('credit_entries').select('id').execute()).toEqual([])
  expect(await database.selectFrom('scrape_jobs').select('id').execute()).toEqual([])
  expect(await verifyLedger(database)).toEqual([])
})

it('a boolean of a query string is true or false, or a 400 that names it', async () => {
  const booleans = targets.filter((target) => typeOf(target) === 'boolean')
  expect(booleans.map(({ path, parameter }) => `${path} ${parameter.name}`)).toContain('/api/admin/accounts deleted')
  for (const target of booleans) {
    await expectRefused(target, ['1', '0', 'TRUE', 'True', 'yes', 'on', 'null', '', '%20true', 'true%20', 'toString'])
    // Of an id that stands for nothing the value is read, and then there is nothing.
    const status = target.path.includes('{') ? 404 : 200
    for (const text of ['true', 'false']) expect([text, (await send(target, text)).status]).toEqual([text, status])
  }
})

it('a plain decimal is taken for what it says', async () => {
  const { client } = contract.service
  for (const [text, days] of [
    ['1', 1],
    ['90', 90],
    ['007', 7],
  ] as const) {
    expect([days, (await client.get(`/api/v1/usage?days=${text}`)).status]).toEqual([days, 200])
  }
  for (const text of ['-3', '-0', '0']) {
    expect([text, (await client.get(`/api/v1/requests?minVotes=${text}`)).status]).toEqual([text, 200])
  }
})
