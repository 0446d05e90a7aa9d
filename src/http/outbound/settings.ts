import { type Static, type TObject, Type } from 'typebox'
import type { Complain } from '../../runtime/config-error.ts'
import type { NetworkProxies } from './proxy.ts'

/** Proxy variables, also in lower case: part of the schema in `config.ts`, which alone reads them. */
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
  /** Variables with an unsupported kind of proxy: connections are direct. */
  unusedProxies: string[]
}

/** Parses a proxy like curl: http without a scheme, "" if unsupported. @throws the error of `fail` if invalid */
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

/** Reads the network's variables. @param complain called with the first invalid one */
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
