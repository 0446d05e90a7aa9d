import { type Static, Type } from 'typebox'
import type { Complain } from '../../runtime/config-error.ts'
import type { NetworkProxies } from './proxy.ts'

/** The environment variables of the proxies in the network: part of the schema in `config.ts`, which alone reads them, also in lower case. */
export const networkVariables = {
  HTTPS_PROXY: Type.Optional(
    Type.String({
      description:
        'the proxy for https connections to platforms, receivers and models, such as `http://proxy.example:3128`; also as `https_proxy`',
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
        'hosts that are connected to without a proxy: a comma list of names, domains (`.example.com`) and addresses, or `*`; also as `no_proxy`',
    }),
  ),
}

const schema = Type.Object(networkVariables)

type NetworkEnvironment = Static<typeof schema>

export interface NetworkConfig {
  proxies: NetworkProxies
}

function isProxy(text: string): boolean {
  const url = URL.parse(text)
  try {
    // As undici reads them.
    decodeURIComponent(`${url?.username}${url?.password}`)
  } catch {
    return false
  }
  return /^https?:$/.test(url?.protocol ?? '')
}

/** Interprets the variables of the network. @param complain called with the first that is wrong. */
export function readNetworkConfig(
  { HTTPS_PROXY: httpsProxy = '', HTTP_PROXY: httpProxy = '', NO_PROXY: noProxy = '' }: NetworkEnvironment,
  complain: Complain<NetworkEnvironment>,
): NetworkConfig {
  const rule = 'must be the http or https address of a proxy, like http://proxy.example:3128.'
  if (httpsProxy !== '' && !isProxy(httpsProxy)) return complain('HTTPS_PROXY', rule)
  if (httpProxy !== '' && !isProxy(httpProxy)) return complain('HTTP_PROXY', rule)
  return { proxies: { httpProxy, httpsProxy, noProxy } }
}
