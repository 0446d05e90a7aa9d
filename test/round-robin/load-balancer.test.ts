import { once } from 'node:events'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterEach, expect, it } from 'vitest'
import { type LoadBalancer, startLoadBalancer } from './load-balancer.ts'

const servers: Server[] = []
const addresses: string[] = []
let balancer: LoadBalancer | undefined

/** Starts a process of a deployment: ready, until it closes. */
async function startProcess(answer: RequestListener): Promise<Server> {
  const server = createServer((request, response) => {
    if (request.url === '/readyz') response.end()
    else answer(request, response)
  })
  servers.push(server)
  await once(server.listen(0, '127.0.0.1'), 'listening')
  addresses.push(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  return server
}
async function startBefore(): Promise<string> {
  balancer = await startLoadBalancer({ addresses: () => addresses })
  await Promise.all(addresses.map(balancer.whenReady))
  return balancer.url
}
afterEach(async () => {
  await balancer?.stop()
  for (const server of servers.splice(0)) {
    server.closeAllConnections()
    server.close()
  }
  addresses.length = 0
})

const bodyOf = async (call: Promise<Response>) => (await call).text()

it('gives calls to the processes round-robin, and to the others when one is away', async () => {
  const first = await startProcess((_request, response) => response.end('first'))
  await startProcess((_request, response) => response.end('second'))
  const url = await startBefore()
  const bodies = await Promise.all(Array.from({ length: 10 }, () => bodyOf(fetch(url))))
  expect(bodies.sort()).toEqual([...Array(5).fill('first'), ...Array(5).fill('second')])
  first.closeAllConnections()
  first.close()
  for (let call = 0; call < 10; call++) expect(await bodyOf(fetch(url))).toBe('second')
})

it('forwards method, path, headers and body as they were sent, and the answer too', async () => {
  await startProcess(async (request, response) => {
    const body = await text(request)
    response.writeHead(418, { 'x-own': 'kept' })
    const { method, url } = request
    response.end(
      JSON.stringify([method, url, request.headers['x-request-id'], request.headers['x-forwarded-for'], body]),
    )
  })
  const url = await startBefore()
  const answer = await fetch(`${url}/a%2f..%2fb?c=d`, { method: 'PUT', headers: { 'x-request-id': '1' }, body: 'é' })
  expect([answer.status, answer.headers.get('x-own')]).toEqual([418, 'kept'])
  expect(await answer.json()).toEqual(['PUT', '/a%2f..%2fb?c=d', '1', '127.0.0.1', 'é'])
})

it('streams an answer, and breaks its connection when the process dies before its end', async () => {
  await startProcess((_request, response) => void response.write('one'))
  const url = await startBefore()
  const reader = (await fetch(url)).body!.getReader()
  expect(new TextDecoder().decode((await reader.read()).value)).toBe('one')
  servers[0]!.closeAllConnections()
  await expect(reader.read()).rejects.toThrow()
})

it('sends a call once: a process that dies before its answer is a 502', async () => {
  let calls = 0
  const die: RequestListener = (request) => {
    calls += 1
    request.socket.destroy()
  }
  await startProcess(die)
  await startProcess(die)
  const url = await startBefore()
  expect((await fetch(url, { method: 'POST', body: 'a' })).status).toBe(502)
  expect(calls).toBe(1)
})

it('is a 503 when no process is ready', async () => {
  const url = await startBefore()
  expect((await fetch(url)).status).toBe(503)
})
