import { type Static, Type } from 'typebox'
import type { Complain } from '../runtime/config-error.ts'
import { type Proxies, parseProxies, parsePublicUrl } from './addresses.ts'

/** Environment variables of the address: part of the schema in `config.ts`, which alone reads them. */
export const addressVariables = {
  HOST: Type.String({ default: '127.0.0.1', description: 'the address it listens on' }),
  PORT: Type.Integer({
    minimum: 0,
    maximum: 65535,
    default: 4680,
    description: 'the port it listens on; 0 picks a free one',
  }),
  PUBLIC_URL: Type.Optional(
    Type.String({
      description:
        'the address that sign-in links and the links of messages begin with, such as `https://wishwell.example`, without a path; by default the address it listens on; with `DATABASE_URL` messages have no links without it',
    }),
  ),
  ALLOW_PLAIN_HTTP: Type.Boolean({
    default: false,
    description:
      '`true` allows an address other than loopback without `TRUST_PROXY`: keys and sessions then travel unencrypted',
  }),
}

/** Variable for the proxies in front. */
export const proxyVariables = {
  TRUST_PROXY: Type.Optional(
    Type.String({
      description:
        'the reverse proxies whose `X-Forwarded-For` is trusted: a comma list of addresses and networks (`10.0.0.0/8`), or their number if all calls pass through them',
    }),
  ),
}

const schema = Type.Object({ ...addressVariables, ...proxyVariables })

type HttpEnvironment = Static<typeof schema>

export interface HttpConfig {
  host: string
  port: number
  /** Base of links, without a trailing slash; by default where the service listens. */
  publicUrl: string | undefined
  /** Whether it may listen beyond loopback without TLS in front. */
  allowPlainHttp: boolean
  trustProxy: Proxies | undefined
}

const publicUrlRule =
  'must be an http or https address with no path, query, name or password, like https://wishwell.example.'
const proxyRule = 'must be addresses and networks such as 127.0.0.1,10.0.0.0/8, or a number of proxies from 1 to 99.'

/** Reads the HTTP variables. @param complain called with the first invalid one */
export function readHttpConfig(environment: HttpEnvironment, complain: Complain<HttpEnvironment>): HttpConfig {
  const { HOST: host, PORT: port, PUBLIC_URL, ALLOW_PLAIN_HTTP: allowPlainHttp, TRUST_PROXY } = environment
  const publicUrl = PUBLIC_URL === undefined ? undefined : parsePublicUrl(PUBLIC_URL)
  const trustProxy = TRUST_PROXY === undefined ? undefined : parseProxies(TRUST_PROXY)
  if (publicUrl === null) return complain('PUBLIC_URL', publicUrlRule)
  if (trustProxy === null) return complain('TRUST_PROXY', proxyRule)
  return { host, port, publicUrl, allowPlainHttp, trustProxy }
}
