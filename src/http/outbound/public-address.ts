import { type LookupAddress, lookup as lookUp } from 'node:dns'
import { isIP, type LookupFunction } from 'node:net'
import ipaddr from 'ipaddr.js'
import { Agent, buildConnector, type Dispatcher } from 'undici'

// Keeps account-named addresses out of our network: checks the address connected to, against DNS rebinding.

/** Resolves a name to all its addresses, like `dns.lookup` with `all: true`. */
export type Resolve = (
  hostname: string,
  callback: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void

/** Global unicast IPv6 (IANA); other routed addresses lead through gateways to IPv4. */
const globalUnicast = ipaddr.IPv6.parseCIDR('2000::/3')
/** Public address that gives Azure's virtual machines their configuration and secrets. */
const azureHost = '168.63.129.16'

/** Whether an address is public; IPv4-mapped counts as IPv4, other IPv6 with IPv4 inside never does. */
export function isPublicAddress(text: string): boolean {
  if (!ipaddr.isValid(text)) return false
  const address = ipaddr.process(text)
  if (address.range() !== 'unicast') return false
  return address.kind() === 'ipv4' ? address.toString() !== azureHost : address.match(globalUnicast)
}

/** Creates the error of a refused address. @param message which host is refused, and why */
type Refuse = (message: string) => Error

/** An account named an address we do not connect to. */
export class TargetRefusedError extends Error {
  override readonly name = 'TargetRefusedError'
}

const refuseTarget: Refuse = (message) => new TargetRefusedError(message)

/** One message for private addresses and unknown names, so answers do not reveal internal names. */
export const refusal = (hostname: string): string => `${hostname} has no public address.`

/** A `lookup` for `net.connect` that fails unless all addresses of the name are public. */
export const publicLookup =
  (resolve: Resolve, refuse: Refuse = refuseTarget): LookupFunction =>
  (hostname, options, callback) =>
    resolve(hostname, (error, addresses) => {
      const fail = (reason: Error) => callback(reason as NodeJS.ErrnoException, '', 0)
      // No resolver can give an address: the name does not exist or has none.
      const isNone = error?.code === 'ENOTFOUND' || error?.code === 'ENODATA'
      if (error) return fail(isNone ? refuse(refusal(hostname)) : error)
      const [first] = addresses
      if (first === undefined || !addresses.every(({ address }) => isPublicAddress(address))) {
        return fail(refuse(refusal(hostname)))
      }
      if (options.all) callback(null, addresses)
      else callback(null, first.address, first.family)
    })

export const resolveAll: Resolve = (hostname, callback) => lookUp(hostname, { all: true }, callback)

export interface PublicDispatcherOptions {
  connectMs: number
  resolve?: Resolve | undefined
  refuse?: Refuse
  /** Why a port is refused; null if allowed. By default only http and https ports: others may trust their network. */
  portFault?: (protocol: string, port: string) => string | null
  /** For a host's sockets, in milliseconds. */
  keepAliveMs?: number
}

/** URLs omit their scheme's default port. */
const onlyDefaultPorts = (protocol: string, port: string) =>
  port === '' || port === (protocol === 'https:' ? '443' : '80') ? null : 'only the ports 80 and 443 are allowed.'

/** Checks what the URL alone shows. @throws the error of `refuse` for a forbidden port or a private address */
export function requirePublicTarget(
  target: { protocol: string; port: string; hostname: string },
  { portFault = onlyDefaultPorts, refuse = refuseTarget }: Pick<PublicDispatcherOptions, 'portFault' | 'refuse'>,
): void {
  const hostname = target.hostname.replace(/^\[|\]$/g, '')
  const fault = portFault(target.protocol, target.port)
  if (fault !== null) throw refuse(`${hostname}: ${fault}`)
  if (isIP(hostname) !== 0 && !isPublicAddress(hostname)) throw refuse(refusal(hostname))
}

/** Connects only to public addresses at allowed ports. Also checks IP addresses in URLs, which are never resolved. */
export function createPublicDispatcher(options: PublicDispatcherOptions): Dispatcher {
  const { connectMs, resolve = resolveAll, refuse, keepAliveMs } = options
  const connect = buildConnector({ timeout: connectMs, lookup: publicLookup(resolve, refuse) })
  return new Agent({
    ...(keepAliveMs === undefined ? {} : { keepAliveTimeout: keepAliveMs, keepAliveMaxTimeout: keepAliveMs }),
    connect: (target, callback) => {
      try {
        requirePublicTarget(target, options)
      } catch (error) {
        return callback(error as Error, null)
      }
      connect(target, callback)
    },
  })
}
