import { epochSeconds } from '../finding.ts'
import { readForms } from '../forms.ts'
import bluesky from './bluesky.json' with { type: 'json' }

const forms = readForms(bluesky.forms)
const tokenLifetimeSeconds = 2 * 60 * 60

const base64url = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url')

/** The place of the signature holds the app password, by which the token is known again. */
export function accessToken(password: string, now: number): string {
  const issuedAt = epochSeconds(new Date(now))
  const claims = forms.claims({ issuedAt, expiresAt: issuedAt + tokenLifetimeSeconds })
  return [base64url({ typ: 'at+jwt', alg: 'HS256' }), base64url(claims), base64url(password)].join('.')
}

/** The value of a JSON text; null for any other text. */
export function parse(text: string): Record<string, unknown> | null {
  try {
    return JSON.parse(text) as Record<string, unknown> | null
  } catch {
    return null
  }
}

/** A part of a token: the claims are 1, the app password is 2. */
export const tokenPart = (token: string, index: number): unknown =>
  parse(Buffer.from(token.split('.')[index] ?? '', 'base64url').toString())
