import { once } from 'node:events'
import { type AddressInfo, BlockList, createServer, isIP, type Server } from 'node:net'
import { ConfigError } from '../runtime/config-error.ts'

/** Proxies whose forwarded addresses are trusted: addresses and networks, or how many. */
export type Proxies = string[] | number

/** An address or network. A prefix of 0 bits is refused: it would trust every address. */
function isNetwork(text: string): boolean {
  const [address = '', prefix, ...rest] = text.split('/')
  const family = isIP(address)
  if (family === 0 || rest.length > 0) return false
  return prefix === undefined || (/^[1-9]\d{0,2}$/.test(prefix) && Number(prefix) <= (family === 4 ? 32 : 128))
}

/** Parses a comma list of addresses and networks, or a number from 1 to 99; null if neither. */
export function parseProxies(text: string): Proxies | null {
  if (/^[1-9]\d?$/.test(text)) return Number(text)
  const networks = text.split(',').map((network) => network.trim())
  return networks.every(isNetwork) ? networks : null
}

/** Fastify would trust no address for a number, which cannot tell a proxy from a caller forging the header. */
export const trustProxyOption = (proxies: Proxies | undefined) =>
  typeof proxies === 'number' ? (_address: string, hop: number) => hop < proxies : (proxies ?? false)

/** Parses an address of scheme, host and optional port; null for other text. */
export function parsePublicUrl(text: string): string | null {
  const url = URL.parse(text)
  if (url === null || !/^https?:$/.test(url.protocol)) return null
  // Also refuses a bare ? or #, a path and credentials.
  return url.href === `${url.origin}/` ? url.origin : null
}

/** Where a server listens, `http://…`. */
export const urlOf = ({ address, port, family }: AddressInfo): string =>
  `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`

/** False for one of several processes without a configured address: it knows at most where it listens itself. */
export const hasLinksForOthers = (config: Record<'publicUrl' | 'databaseUrl', string | undefined>): boolean =>
  config.publicUrl !== undefined || config.databaseUrl === undefined

/** The base of links, never the caller's `Host` header: it may be forged, and links hold secrets. */
export function publicUrlOf(
  { publicUrl, host, port }: { publicUrl: string | undefined; host: string; port: number },
  server: Server,
): string {
  if (publicUrl !== undefined) return publicUrl
  const listening = server.address()
  const url =
    listening === null || typeof listening === 'string'
      ? `http://${host.includes(':') ? `[${host}]` : host}:${port}`
      : urlOf(listening)
  // The wildcard address cannot be connected to.
  return url.replace(/\/\/(0\.0\.0\.0|\[::\]):/, '//localhost:')
}

const loopback = new BlockList()
loopback.addSubnet('127.0.0.0', 8, 'ipv4')
loopback.addAddress('::1', 'ipv6')

/** Whether only this machine can reach an address. Names other than `localhost` count as reachable. */
export function isLoopback(host: string): boolean {
  const family = isIP(host)
  return family === 0 ? host.toLowerCase() === 'localhost' : loopback.check(host, family === 4 ? 'ipv4' : 'ipv6')
}

interface Transport {
  host: string
  trustProxy: Proxies | undefined
  allowPlainHttp: boolean
}

/** The service speaks plain HTTP, without TLS. @throws ConfigError unless on loopback, proxied, or allowed */
export function requireProtectedTransport({ host, trustProxy, allowPlainHttp }: Transport): void {
  if (isLoopback(host) || trustProxy !== undefined || allowPlainHttp) return
  throw new ConfigError(
    'HOST: other machines can reach this address, and the service speaks plain HTTP: API keys, the admin key and sessions would ' +
      'travel in the clear.\nPut a reverse proxy with TLS in front and set TRUST_PROXY to its address; or, on a network that ' +
      'you trust, set ALLOW_PLAIN_HTTP=true.',
  )
}

/** Checks the port before a failed start leaves anything behind. @throws the error of `listen`, with its `port` */
export async function requireFreePort({ host, port }: { host: string; port: number }): Promise<void> {
  const server = createServer()
  server.listen({ host, port })
  await once(server, 'listening')
  server.close()
  await once(server, 'close')
}

// Page addresses, as in dashboard/src/shell/addresses.ts.

export const wishLink = (publicUrl: string, wishId: string): string =>
  `${publicUrl}/wishes/${encodeURIComponent(wishId)}`
export const jobLink = (publicUrl: string, jobId: string): string => `${publicUrl}/collect/${encodeURIComponent(jobId)}`
export const watchLink = (publicUrl: string, watchId: string): string =>
  `${publicUrl}/watches/${encodeURIComponent(watchId)}`
export const accountLink = (publicUrl: string): string => `${publicUrl}/account`
