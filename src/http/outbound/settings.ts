import { type Static, type TObject, Type } from 'typebox'
import type { Complain } from '../../runtime/config-error.ts'
import type { NetworkProxies } from './proxy.ts'

/** The environment variables of the proxies in the network: part of the schema in `config.ts`, which alone reads them, also in lower case. */
export const networkVariables = {
  HTTPS_PROXY: Type.Optional(
    Type.String({
      description:
        'the proxy for https connections to platforms, receivers and models, such as `http://proxy.example:3128` or, for SOCKS5, `socks5://proxy.example:1080`; `http://` may be left out; also as `https_proxy`',
    }),
  ),
  HTTP_PROXY: Type.Optional(
    Type.String({
      description: 'the proxy for http connections, and for https without `HTTPS_PROXY`; also as `http_proxy`',
    }),
  ),
  NO_PROXY: Type.Optional(
    Type.String({
      description:
        'hosts that are connected to without a proxy: a comma list of names, domains (`.example.com`), addresses and networks (`10.0.0.0/8`), or `*`; also as `no_proxy`',
    }),
  ),
}

type NetworkEnvironment = Static<TObject<typeof networkVariables>>

export interface NetworkConfig {
  proxies: NetworkProxies
  /** The variables whose proxy is of a kind that is not supported: connections are direct. */
  unusedProxies: string[]
}

/**
 * A proxy as curl reads it: http without a scheme. An empty text for a kind that is not supported.
 * @throws the error of `fail` for what is none.
 */
function readProxy(text: string, fail: () => never): string {
  const proxy = /^[a-z][a-z\d+.-]*:\/\//i.test(text) ? text : `http://${text}`
  const url = URL.parse(proxy)
  try {
    // As undici reads them.
    decodeURIComponent(`${url?.username}${url?.password}`)
  } catch {
    return fail()
  }
  if (url === null || url.hostname === '') return fail()
  if (/^socks4a?:$/.test(url.protocol)) return ''
  return /^(https?|socks|socks5h?):$/.test(url.protocol) ? proxy : fail()
}

/** Interprets the variables of the network. @param complain called with the first that is wrong. */
export function readNetworkConfig(
  environment: NetworkEnvironment,
  complain: Complain<NetworkEnvironment>,
): NetworkConfig {
  const unusedProxies: string[] = []
  const read = (name: 'HTTP_PROXY' | 'HTTPS_PROXY') => {
    const text = environment[name] ?? ''
    if (text === '') return ''
    const rule = 'must be the http, https or SOCKS5 address of a proxy, like http://proxy.example:3128.'
    const proxy = readProxy(text, () => complain(name, rule))
    if (proxy === '') unusedProxies.push(name)
    return proxy
  }
  const proxies = {
    httpsProxy: read('HTTPS_PROXY'),
    httpProxy: read('HTTP_PROXY'),
    noProxy: environment.NO_PROXY ?? '',
  }
  return { proxies, unusedProxies }
}
