import type { LookupAddress } from 'node:dns'
import { describe, expect, it } from 'vitest'
import { isPublicAddress, publicLookup, type Resolve } from '../../http/outbound/public-address.ts'
import { openTestBudget, platformError, sendJson, startServer, testClient, testClock } from '../adapters/testing.ts'
import { SourceRefusedError } from '../platform.ts'
import type { ClientOptions } from './client.ts'
import type { JsonRequest } from './messages.ts'

// Holds (HTTP and secrets): an account's source never reaches the service's network, whatever its name resolves to

const privateAddresses: [kind: string, ...addresses: string[]][] = [
  ['loopback', '127.0.0.1', '127.255.255.254', '::1'],
  ['private networks', '10.0.0.1', '172.16.0.1', '172.31.255.255', '192.168.1.1', 'fc00::1', 'fd12:3456::1'],
  ['link-local', '169.254.1.1', 'fe80::1', 'fe80::1%eth0', 'fec0::1'],
  ['metadata of clouds', '169.254.169.254', '100.100.100.200', '192.0.0.192', '168.63.129.16', 'fd00:ec2::254'],
  ['shared addresses of providers (CGNAT)', '100.64.0.1', '100.127.255.255'],
  ['unspecified and broadcast', '0.0.0.0', '0.1.2.3', '255.255.255.255', '::'],
  ['multicast and reserved', '224.0.0.1', '239.255.255.255', '240.0.0.1', 'ff02::1', '198.18.0.1', '100::1'],
  ['documentation', '192.0.2.1', '198.51.100.1', '203.0.113.1', '2001:db8::1', '3fff::1'],
  ['IPv4-mapped', '::ffff:127.0.0.1', '::ffff:10.0.0.1', '::ffff:7f00:1', '::ffff:a9fe:a9fe'],
  ['IPv4 in IPv6', '::127.0.0.1', '64:ff9b::7f00:1', '64:ff9b:1::1', '2002:7f00:1::', '2001::1', '::ffff:0:127.0.0.1'],
  ['other ways to write IPv4', '2130706433', '0x7f.1', '0177.0.0.1', '127.1'],
  ['no address', '', 'localhost', 'example.org', '1.2.3.4.5', ':::'],
]

const resolving =
  (...addresses: string[]): Resolve =>
  (_hostname, callback) =>
    callback(
      null,
      addresses.map((address): LookupAddress => ({ address, family: address.includes(':') ? 6 : 4 })),
    )

const failing =
  (code: string): Resolve =>
  (_hostname, callback) =>
    callback(Object.assign(new Error(code), { code }), [])

const refuse = (message: string) => new SourceRefusedError(message)

const lookUp = (resolve: Resolve, all: boolean) =>
  new Promise((done, fail) => {
    publicLookup(resolve, refuse)('forum.example', { all }, (error, address, family) =>
      error ? fail(error) : done(all ? address : { address, family }),
    )
  })

describe('a public address', () => {
  it.each(privateAddresses)('is none of: %s', (_kind, ...addresses) => {
    expect(addresses.filter(isPublicAddress)).toEqual([])
  })

  it('is every other one, of both families', () => {
    const addresses = [
      '1.1.1.1',
      '140.82.112.3',
      '172.32.0.1',
      '::ffff:8.8.8.8',
      '2606:4700::1111',
      '2a00:1450:4001::1',
    ]
    expect(addresses.filter((address) => !isPublicAddress(address))).toEqual([])
  })
})

describe('the lookup of an address that an account named', () => {
  it('returns exactly the addresses that it checked, so the connection is to one of them', async () => {
    const resolve = resolving('2606:4700::1111', '1.1.1.1')
    expect(await lookUp(resolve, true)).toEqual([
      { address: '2606:4700::1111', family: 6 },
      { address: '1.1.1.1', family: 4 },
    ])
    expect(await lookUp(resolve, false)).toEqual({ address: '2606:4700::1111', family: 6 })
  })

  it.each([
    ['a private address', resolving('10.0.0.1')],
    ['a private address beside a public one', resolving('1.1.1.1', '::1')],
    ['no address', resolving()],
    ['an unknown name', failing('ENOTFOUND')],
  ])('refuses %s with the same message', async (_case, resolve) => {
    for (const all of [true, false]) {
      await expect(lookUp(resolve, all)).rejects.toEqual(new SourceRefusedError('forum.example has no public address.'))
    }
  })

  it('passes a failure of the resolver on', async () => {
    await expect(lookUp(failing('EAI_AGAIN'), true)).rejects.toMatchObject({ code: 'EAI_AGAIN' })
  })
})

async function setUp(options: Partial<ClientOptions> = {}) {
  const server = await startServer((response) => sendJson(response, { ok: true }))
  const client = testClient(testClock(), options)
  const get = (url: string, more: Partial<JsonRequest> = {}) => {
    const budget = openTestBudget({
      name: 'forum.example',
      windows: [{ limit: 100, windowMs: 60_000 }],
      concurrency: 5,
    })
    const signal = new AbortController().signal
    return client.getJson({ platform: 'discourse', url: new URL(url), budget, signal, isForeign: true, ...more })
  }
  return { ...server, port: new URL(server.baseUrl).port, get }
}

describe('a request to an address that an account named', () => {
  it.each(['http://127.0.0.1', 'http://[::1]', 'http://2130706433', 'http://localhost', 'https://[::ffff:10.0.0.1]'])(
    'never connects to %s',
    async (url) => {
      const { get } = await setUp()
      const error = await platformError(get(`${url}/search.json`), 'bad_response')
      expect(error).toBeInstanceOf(SourceRefusedError)
      expect(error.message).toMatch(/has no public address\.$/)
    },
  )

  it('never connects to a name with a private address, and resolves it anew for each connection', async () => {
    const answers = [['10.0.0.1'], ['1.1.1.1', '127.0.0.1'], ['127.0.0.1']]
    let calls = 0
    const resolve: Resolve = (hostname, callback) => resolving(...answers[calls++]!)(hostname, callback)
    const { get } = await setUp({ resolve })
    for (const _answer of answers) await platformError(get('http://forum.example/search.json'), 'bad_response')
    expect(calls).toBe(answers.length)
  })

  it('never connects to another port than that of http and https', async () => {
    const { get, received, port } = await setUp({ resolve: resolving('1.1.1.1') })
    for (const url of [`http://forum.example:${port}`, 'https://forum.example:80', 'http://forum.example:22']) {
      const { message } = await platformError(get(url), 'bad_response')
      expect(message).toBe('forum.example: only the ports 80 and 443 are allowed.')
    }
    expect(received).toEqual([])
  })

  it('is sent to a private address where the operator allows that', async () => {
    const { get, received, baseUrl } = await setUp({ allowPrivateTargets: true })
    expect(await get(baseUrl)).toMatchObject({ status: 200 })
    expect(received).toHaveLength(1)
  })

  it('shares no connection with those of the operator, which may be private', async () => {
    const { get, received, baseUrl } = await setUp()
    expect(await get(baseUrl, { isForeign: false })).toMatchObject({ status: 200 })
    await platformError(get(baseUrl), 'bad_response')
    expect(received).toHaveLength(1)
  })

  it('reports a resolver that fails as a fault that may pass', async () => {
    const { get } = await setUp({ resolve: failing('EAI_AGAIN') })
    const error = await platformError(get('http://forum.example/'), 'unavailable')
    expect(error).not.toBeInstanceOf(SourceRefusedError)
  })
})
