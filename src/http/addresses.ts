import { once } from 'node:events'
import { type AddressInfo, BlockList, createServer, isIP, type Server } from 'node:net'
import { ConfigError } from '../runtime/config-error.ts'

/** The proxies whose forwarded addresses are trusted: their addresses and networks, or their number. */
export type Proxies = string[] | number

/** An address, or a network of one or more bits: a prefix of 0 would trust every address. */
function isNetwork(text: string): boolean {
  const [address = '', prefix, ...rest] = text.split('/')
  const family = isIP(address)
  if (family === 0 || rest.length > 0) return false
  return prefix === undefined || (/^[1-9]\d{0,2}$/.test(prefix) && Number(prefix) <= (family === 4 ? 32 : 128))
}

/** Reads a comma list of addresses and networks, or a number from 1 to 99; null when it is neither. */
export function parseProxies(text: string): Proxies | null {
  if (/^[1-9]\d?$/.test(text)) return Number(text)
  const networks = text.split(',').map((network) => network.trim())
  return networks.every(isNetwork) ? networks : null
}

/** For Fastify, which would trust no address for a number: a number cannot distinguish a proxy from a caller that forges the header. */
export const trustProxyOption = (proxies: Proxies | undefined) =>
  typeof proxies === 'number' ? (_address: string, hop: number) => hop < proxies : (proxies ?? false)

/** Reads an address of a scheme, a host and optionally a port; null for any other text. */
export function parsePublicUrl(text: string): string | null {
  const url = URL.parse(text)
  if (url === null || !/^https?:$/.test(url.protocol)) return null
  // Refuses also a bare ? or #, a path, a name and a password.
  return url.href === `${url.origin}/` ? url.origin : null
}

/** Where a server listens, as `http://…`. */
export const urlOf = ({ address, port, family }: AddressInfo): string =>
  `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`

/**
 * Whether links may be sent to others: with a configured address, and by the one process of an embedded database, which is for people on its machine. A process
 * beside others knows at most where it listens itself.
 */
export const hasLinksForOthers = (config: Record<'publicUrl' | 'databaseUrl', string | undefined>): boolean =>
  config.publicUrl !== undefined || config.databaseUrl === undefined

/**
 * The address that links begin with: the configured one, else the one that the service listens on, or would. Never a value that
 * a caller sends: a link with a secret must not lead to the host of a forged `Host` header.
 */
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
  // The wildcard address is no address to connect to.
  return url.replace(/\/\/(0\.0\.0\.0|\[::\]):/, '//localhost:')
}

const loopback = new BlockList()
loopback.addSubnet('127.0.0.0', 8, 'ipv4')
loopback.addAddress('::1', 'ipv6')

/** Whether only this machine can connect to an address. A name other than `localhost` counts as reachable from other machines. */
export function isLoopback(host: string): boolean {
  const family = isIP(host)
  return family === 0 ? host.toLowerCase() === 'localhost' : loopback.check(host, family === 4 ? 'ipv4' : 'ipv6')
}

interface Transport {
  host: string
  trustProxy: Proxies | undefined
  allowPlainHttp: boolean
}

/**
 * Refuses to listen on an address that other machines can reach: the service speaks plain HTTP and leaves TLS to a proxy.
 * @throws ConfigError for another address than loopback without a proxy or explicit consent.
 */
export function requireProtectedTransport({ host, trustProxy, allowPlainHttp }: Transport): void {
  if (isLoopback(host) || trustProxy !== undefined || allowPlainHttp) return
  throw new ConfigError(
    'HOST: other machines can reach this address, and the service speaks plain HTTP: API keys, the admin key and sessions would ' +
      'travel in the clear.\nPut a reverse proxy with TLS in front and set TRUST_PROXY to its address; or, on a network that ' +
      'you trust, set ALLOW_PLAIN_HTTP=true.',
  )
}

/**
 * Checks that this process may listen at an address, before anything is made that a failed start would leave behind.
 * @throws the error of `listen`, such as EADDRINUSE, with its `port`.
 */
export async function requireFreePort({ host, port }: { host: string; port: number }): Promise<void> {
  const server = createServer()
  server.listen({ host, port })
  await once(server, 'listening')
  server.close()
  await once(server, 'close')
}

// The addresses of the page, as dashboard/src/shell/addresses.ts has them.

export const wishLink = (publicUrl: string, wishId: string): string =>
  `${publicUrl}/wishes/${encodeURIComponent(wishId)}`
export const jobLink = (publicUrl: string, jobId: string): string => `${publicUrl}/collect/${encodeURIComponent(jobId)}`
export const watchLink = (publicUrl: string, watchId: string): string =>
  `${publicUrl}/watches/${encodeURIComponent(watchId)}`
export const accountLink = (publicUrl: string): string => `${publicUrl}/account`
