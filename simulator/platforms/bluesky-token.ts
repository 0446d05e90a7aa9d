const tokenLifetimeSeconds = 2 * 60 * 60

const base64url = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url')

/** The place of the signature holds the app password, by which the token is known again. */
export function accessToken(password: string, now: number): string {
  const issuedAt = Math.floor(now / 1_000)
  const claims = {
    scope: 'com.atproto.appPass',
    sub: 'did:plc:wishwellsimulated2345672',
    iat: issuedAt,
    exp: issuedAt + tokenLifetimeSeconds,
    aud: 'did:web:simulated.example',
  }
  return [base64url({ typ: 'at+jwt', alg: 'HS256' }), base64url(claims), base64url(password)].join('.')
}
