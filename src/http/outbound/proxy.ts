import { type LookupAddress, lookup } from 'node:dns'
import { isIP, type LookupFunction } from 'node:net'
import { Agent, type Dispatcher, EnvHttpProxyAgent, Pool } from 'undici'
import {
  createPublicDispatcher,
  type PublicDispatcherOptions,
  publicLookup,
  requirePublicTarget,
  resolveAll,
} from './public-address.ts'

/** The proxies of the network that the service runs in, by its environment. An empty text is none. */
export interface NetworkProxies {
  httpProxy: string
  httpsProxy: string
  /** Hosts that are connected to directly: names, domains with a dot before them, addresses, `*`. */
  noProxy: string
}

export const noProxies: NetworkProxies = { httpProxy: '', httpsProxy: '', noProxy: '' }

export const hasProxy = ({ httpProxy, httpsProxy }: NetworkProxies): boolean => httpProxy !== '' || httpsProxy !== ''

/** What listens on this machine is never behind a proxy. */
const loopback = 'localhost,.localhost,127.0.0.1,::1'

/** Names below `localhost` are this machine's (RFC 6761, 6.3); not every resolver knows it. */
const withLocal =
  (resolve: LookupFunction): LookupFunction =>
  (hostname, options, callback) =>
    resolve(hostname.endsWith('.localhost') ? 'localhost' : hostname, options, callback)

interface DispatcherOptions {
  connectMs: number
  /** Of the sockets of a host, in milliseconds. */
  keepAliveMs?: number | undefined
  /** Whether http goes through a tunnel, too, as https always does. */
  tunnelsHttp?: boolean
  /** Resolves the names of hosts; by default the resolver of the system. */
  resolver?: LookupFunction | undefined
}

/** Connects to addresses that the operator chose: directly, or as the environment says (undici's `EnvHttpProxyAgent`). */
export function createDispatcher(proxies: NetworkProxies, options: DispatcherOptions): Dispatcher {
  const { connectMs, keepAliveMs, tunnelsHttp = false, resolver = lookup } = options
  const agent: Agent.Options = {
    connect: { timeout: connectMs, lookup: withLocal(resolver) },
    ...(keepAliveMs === undefined ? {} : { keepAliveTimeout: keepAliveMs, keepAliveMaxTimeout: keepAliveMs }),
  }
  if (!hasProxy(proxies)) return new Agent(agent)
  const { httpProxy, httpsProxy, noProxy } = proxies
  return new EnvHttpProxyAgent({
    ...agent,
    connectTimeout: connectMs,
    // No signal reaches the request for a tunnel, and by default it may take five minutes.
    clientFactory: (origin: URL, pool: object) => new Pool(origin, { ...pool, headersTimeout: connectMs }),
    proxyTunnel: tunnelsHttp,
    httpProxy,
    httpsProxy,
    noProxy: [noProxy, loopback].filter((part) => part !== '').join(','),
  })
}

/** The public address of a name, of IPv4 where it has one: a proxy may have no other. @throws the error of `refuse`, or of the resolver. */
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
 * Connects to addresses that accounts name: to public ones only. A proxy would resolve a name itself, and reach what is private for us: so
 * names are resolved and checked here, and the proxy is asked for a tunnel to the address, for http as well. TLS still checks the name.
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
        // `servername` is what TLS asks for and checks.
        dispatch({ ...request, origin: target.origin, headers, servername: hostname } as typeof request, handler)
      })
      .catch((error: Error) => handler.onResponseError?.(null as never, error))
    return true
  })
}
