import { type Static, type TObject, Type } from 'typebox'
import { isLoopback } from '../../http/addresses.ts'
import type { Complain } from '../../runtime/config-error.ts'

/** OpenID Connect variables: part of the schema in `config.ts`, which alone reads them. */
export const oidcVariables = {
  OIDC_ISSUER: Type.Optional(
    Type.String({
      description:
        'the issuer of an OpenID Connect provider whose access tokens open `/mcp` and the API as far as their scope says, such as `https://sso.example/realms/team`; needs `PUBLIC_URL`; see [mcp.md](mcp.md#oauth)',
    }),
  ),
  OIDC_ACCOUNT_CLAIM: Type.String({
    minLength: 1,
    default: 'wishwell_account',
    description: 'the claim of an access token that has the id of the account',
  }),
}

type OidcEnvironment = Static<TObject<typeof oidcVariables>> & { PUBLIC_URL?: string }

/** The provider whose access tokens open `/mcp`. */
export interface OidcConfig {
  issuer: string
  accountClaim: string
  /** The tokens' audience: the address of `/mcp`. */
  resource: string
}

/** Whether the connection protects against changes on the way. */
export const isProtected = ({ protocol, hostname }: URL): boolean =>
  protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname.replace(/^\[|\]$/g, '')))

/** @param complain called with the first invalid variable @returns null without a provider */
export function readOidcConfig(environment: OidcEnvironment, complain: Complain<OidcEnvironment>): OidcConfig | null {
  const { OIDC_ISSUER: issuer, OIDC_ACCOUNT_CLAIM: accountClaim, PUBLIC_URL: publicUrl } = environment
  if (issuer === undefined) return null
  const url = URL.parse(issuer)
  if (!url || !isProtected(url) || url.search !== '' || `${url.username}${url.password}` !== '')
    return complain('OIDC_ISSUER', 'must be an https address without a query, a name and a password.')
  // The provider writes it into tokens, so it cannot be wherever the service listens.
  if (publicUrl === undefined) return complain('OIDC_ISSUER', 'needs PUBLIC_URL, the audience of the tokens.')
  return { issuer, accountClaim, resource: `${publicUrl.replace(/\/+$/, '')}/mcp` }
}
