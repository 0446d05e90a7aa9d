import { type LookupAddress, lookup } from 'node:dns'
import { isIP, type LookupFunction, type Socket } from 'node:net'
import ipaddr from 'ipaddr.js'
import { Agent, buildConnector, Dispatcher, Pool, ProxyAgent, Socks5ProxyAgent } from 'undici'
import {
  createPublicDispatcher,
  type PublicDispatcherOptions,
  publicLookup,
  requirePublicTarget,
  resolveAll,
} from './public-address.ts'

/** The environment's proxies; an empty text means none. */
export interface NetworkProxies {
  httpProxy: string
  httpsProxy: string
  /** Hosts to connect to directly: names, domains with a leading dot, addresses, networks, `*`. */
  noProxy: string
}

export const noProxies: NetworkProxies = { httpProxy: '', httpsProxy: '', noProxy: '' }

export const hasProxy = ({ httpProxy, httpsProxy }: NetworkProxies): boolean => httpProxy !== '' || httpsProxy !== ''

/** This machine is never behind a proxy. */
const loopback = 'localhost,127.0.0.0/8,::1'

/** Matches a `NO_PROXY` entry like curl and undici: name, `.domain`, address or network, optional port. */
function matcherOf(entry: string): (host: string, port: string) => boolean {
  const [, given = entry, onlyPort = null] = /^(\[.+\]|[^:]+):(\d+)$/.exec(entry) ?? []
  const name = given.replace(/[[\]]/g, '').replace(/\.$/, '')
  const domain = name.replace(/^\*?\./, '')
  const network = isIP(name) === 0 ? name : `${name}/${isIP(name) === 4 ? 32 : 128}`
  const isOfHost = ipaddr.isValidCIDR(network)
    ? (host: string) => {
        const [base, bits] = ipaddr.parseCIDR(network)
        const address = isIP(host) === 0 ? null : ipaddr.process(host)
        return address?.kind() === base.kind() && address.match(base, bits)
      }
    : (host: string) => name === '*' || (host === domain && !name.startsWith('*')) || host.endsWith(`.${domain}`)
  return (host, port) => (onlyPort === null || onlyPort === port) && isOfHost(host)
}

const portOf = ({ port, protocol }: { port: string; protocol: string }) =>
  port === '' ? (protocol === 'https:' ? '443' : '80') : port

/** Connects through a SOCKS5 proxy, which resolves given names. */
function throughSocks(proxy: string, connectMs: number): buildConnector.connector {
  const uri = proxy.replace(/^socks5h:/, 'socks5:')
  // Uses only the tunnel: the agent's own TLS would check the name it is given, possibly an address. Its types lack it.
  const tunnels = new Socks5ProxyAgent(uri, { connectTimeout: connectMs } as Socks5ProxyAgent.Options) as unknown as {
    createSocks5Connection(host: string, port: number): Promise<Socket>
  }
  const secure = buildConnector({ timeout: connectMs })
  return (options, callback) => {
    const host = options.hostname.replace(/^\[|\]$/g, '')
    tunnels.createSocks5Connection(host, Number(portOf(options))).then(
      (socket) =>
        options.protocol === 'https:' ? secure({ ...options, httpSocket: socket }, callback) : callback(null, socket),
      (error: Error) => callback(error, null),
    )
  }
}

/** Sends requests directly, or through their scheme's proxy. */
class ProxiedDispatcher extends Dispatcher {
  private readonly all: Dispatcher[]
  private readonly choose: (origin: URL) => Dispatcher

  constructor(all: Dispatcher[], choose: (origin: URL) => Dispatcher) {
    super()
    this.all = all
    this.choose = choose
  }

  override dispatch(request: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
    return this.choose(new URL(String(request.origin))).dispatch(request, handler)
  }

  override async close(): Promise<void> {
    await Promise.all(this.all.map((one) => one.close()))
  }

  override async destroy(): Promise<void> {
    await Promise.all(this.all.map((one) => one.destroy()))
  }
}

/** Names below `localhost` mean this machine (RFC 6761, 6.3), which not every resolver knows. */
const withLocal =
  (resolve: LookupFunction): LookupFunction =>
  (hostname, options, callback) =>
    resolve(hostname.endsWith('.localhost') ? 'localhost' : hostname, options, callback)

interface DispatcherOptions {
  connectMs: number
  /** For a host's sockets, in milliseconds. */
  keepAliveMs?: number | undefined
  /** Whether http uses a tunnel, as https always does. */
  tunnelsHttp?: boolean
  /** Resolves host names; by default the system's resolver. */
  resolver?: LookupFunction | undefined
}

/** Connects to the operator's addresses: directly, or as the environment says. */
export function createDispatcher(proxies: NetworkProxies, options: DispatcherOptions): Dispatcher {
  const { connectMs, keepAliveMs, tunnelsHttp = false, resolver = lookup } = options
  const agent: Agent.Options = {
    connect: { timeout: connectMs, lookup: withLocal(resolver) },
    ...(keepAliveMs === undefined ? {} : { keepAliveTimeout: keepAliveMs, keepAliveMaxTimeout: keepAliveMs }),
  }
  const direct = new Agent(agent)
  if (!hasProxy(proxies)) return direct
  const through = (proxy: string): Dispatcher =>
    proxy.startsWith('socks')
      ? new Agent({ ...agent, connect: throughSocks(proxy, connectMs) })
      : new ProxyAgent({
          ...agent,
          uri: proxy,
          connectTimeout: connectMs,
          // No signal reaches a tunnel request, whose default limit is five minutes.
          clientFactory: (origin: URL, pool: object) => new Pool(origin, { ...pool, headersTimeout: connectMs }),
          proxyTunnel: tunnelsHttp,
        })
  const { httpProxy, httpsProxy, noProxy } = proxies
  const http = httpProxy === '' ? direct : through(httpProxy)
  const https = httpsProxy === '' ? http : through(httpsProxy)
  const matchers = `${noProxy},${loopback}`
    .toLowerCase()
    .split(/[\s,]+/)
    .filter((entry) => entry !== '')
    .map(matcherOf)
  return new ProxiedDispatcher([...new Set([direct, http, https])], (origin) => {
    const host = origin.hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '')
    if (matchers.some((matches) => matches(host, portOf(origin)))) return direct
    return origin.protocol === 'https:' ? https : http
  })
}

/** Resolves a public address, preferably IPv4: a proxy may lack IPv6. @throws the error of `refuse` or the resolver */
function resolvePublic(hostname: string, { resolve = resolveAll, refuse, connectMs }: PublicDispatcherOptions) {
  const { promise, resolve: found, reject } = Promise.withResolvers<LookupAddress>()
  const timer = setTimeout(
    () => reject(Object.assign(new Error('the resolver is silent'), { code: 'ETIMEDOUT' })),
    connectMs,
  )
  publicLookup(resolve, refuse)(hostname, { all: true }, (error, addresses) => {
    const all = addresses as LookupAddress[]
    if (error) reject(error)
    else found(all.find(({ family }) => family === 4) ?? all[0]!)
  })
  return promise.finally(() => clearTimeout(timer))
}

/**
 * Connects to public addresses only. A proxy could resolve names to private hosts, so they are resolved here, and it
 * tunnels to the address, even for http. TLS still checks the name.
 */
export function createDispatcherForAccounts(proxies: NetworkProxies, options: PublicDispatcherOptions): Dispatcher {
  if (!hasProxy(proxies)) return createPublicDispatcher(options)
  return createDispatcher(proxies, { ...options, tunnelsHttp: true }).compose((dispatch) => (request, handler) => {
    const target = new URL(String(request.origin))
    requirePublicTarget(target, options)
    const { host } = target
    const hostname = target.hostname.replace(/^\[|\]$/g, '')
    if (isIP(hostname) !== 0) return dispatch(request, handler)
    resolvePublic(hostname, options)
      .then(({ address, family }) => {
        target.hostname = family === 6 ? `[${address}]` : address
        const headers = { ...(request.headers as Record<string, string>), host }
        // TLS requests and checks `servername`.
        dispatch({ ...request, origin: target.origin, headers, servername: hostname } as typeof request, handler)
      })
      .catch((error: Error) => handler.onResponseError?.(null as never, error))
    return true
  })
}
