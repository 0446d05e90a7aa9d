import type { LookupAddress } from 'node:dns'
import { Agent, type Dispatcher, EnvHttpProxyAgent, interceptors } from 'undici'
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

const hasProxy = ({ httpProxy, httpsProxy }: NetworkProxies) => httpProxy !== '' || httpsProxy !== ''

/** What listens on this machine is never behind a proxy. */
const loopback = 'localhost,127.0.0.1,::1'

/** How long the addresses of a name are used without a new lookup. They were checked. */
const nameMs = 10_000

export interface DispatcherOptions {
  connectMs: number
  /** Of the sockets of a host, in milliseconds. */
  keepAliveMs?: number | undefined
}

const agentOptions = ({ connectMs, keepAliveMs }: DispatcherOptions): Agent.Options => ({
  connect: { timeout: connectMs },
  ...(keepAliveMs === undefined ? {} : { keepAliveTimeout: keepAliveMs, keepAliveMaxTimeout: keepAliveMs }),
})

/** Connects to addresses that the operator chose: directly, or as the environment says (undici's `EnvHttpProxyAgent`). */
export function createDispatcher(proxies: NetworkProxies, options: DispatcherOptions): Dispatcher {
  const { httpProxy, httpsProxy, noProxy } = proxies
  if (!hasProxy(proxies)) return new Agent(agentOptions(options))
  return new EnvHttpProxyAgent({
    ...agentOptions(options),
    connectTimeout: options.connectMs,
    httpProxy,
    httpsProxy,
    noProxy: [noProxy, loopback].filter((part) => part !== '').join(','),
  })
}

/**
 * Connects to addresses that accounts name: to public ones only. A proxy would resolve a name itself, and reach what is private for us: so
 * names are resolved and checked here, and the proxy is asked for the address. TLS still checks the name.
 */
export function createDispatcherForAccounts(proxies: NetworkProxies, options: PublicDispatcherOptions): Dispatcher {
  if (!hasProxy(proxies)) return createPublicDispatcher(options)
  const lookup = publicLookup(options.resolve ?? resolveAll, options.refuse)
  return createDispatcher(proxies, options).compose(
    interceptors.dns({
      lookup: (origin, _options, callback) =>
        lookup(origin.hostname, { all: true }, (error, addresses) => {
          if (error) callback(error, [])
          else
            callback(
              null,
              (addresses as LookupAddress[]).map(({ address, family }) => ({
                address,
                family: family as 4 | 6,
                ttl: nameMs,
              })),
            )
        }),
    }),
    (dispatch) => (request, handler) => {
      const { protocol, port, hostname } = new URL(String(request.origin))
      requirePublicTarget({ protocol, port, hostname }, options)
      return dispatch(request, handler)
    },
  )
}
