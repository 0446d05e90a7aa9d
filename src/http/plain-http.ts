import { BlockList, isIP } from 'node:net'
import { ConfigError } from '../runtime/config-error.ts'
import type { Proxies } from './proxies.ts'

const loopback = new BlockList()
loopback.addSubnet('127.0.0.0', 8, 'ipv4')
loopback.addAddress('::1', 'ipv6')

/** Whether only this machine can connect to an address. A name other than `localhost` counts as reachable from other machines. */
export function isLoopback(host: string): boolean {
  const family = isIP(host)
  return family === 0 ? host.toLowerCase() === 'localhost' : loopback.check(host, family === 4 ? 'ipv4' : 'ipv6')
}

export interface Transport {
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
