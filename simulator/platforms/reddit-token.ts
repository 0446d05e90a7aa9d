import { type Answer, readAnswers } from '../answers.ts'
import type { SearchRequest } from '../platform-shape.ts'
import written from './reddit.json' with { type: 'json' }

const answers = readAnswers(written.answers)
const tokenLifetimeMs = 86_400_000

/** A token holds the secret that it was given for, by which it is known again, and when it ends. */
const accessToken = (secret: string, expiresAt: number): string =>
  `sim-${Buffer.from(JSON.stringify([secret, expiresAt])).toString('base64url')}`

export function readToken(token: string): [secret: string, expiresAt: number] {
  try {
    return JSON.parse(Buffer.from(token.slice('sim-'.length), 'base64url').toString()) as [string, number]
  } catch {
    return [token, Number.POSITIVE_INFINITY]
  }
}

export function authorization({ headers }: SearchRequest, scheme: 'basic' | 'bearer'): string | null {
  const [given, value] = (headers.authorization ?? '').split(' ')
  return given?.toLowerCase() === scheme && value ? value : null
}

/** The application's secret, or what was sent for a token that none was given for. */
export function credential(request: SearchRequest): string | null {
  const basic = authorization(request, 'basic')
  if (basic !== null) return Buffer.from(basic, 'base64').toString().split(':')[1] ?? ''
  const token = authorization(request, 'bearer')
  return token === null ? null : readToken(token)[0]
}

export function giveToken(request: SearchRequest, now: number): Answer {
  const secret = authorization(request, 'basic') === null ? null : credential(request)
  if (secret === null || request.method !== 'POST') return answers.unauthorized()
  const grant = new URLSearchParams(request.body).get('grant_type')
  if (grant !== 'client_credentials') return answers.unsupportedGrant()
  return answers.token({ token: accessToken(secret, now + tokenLifetimeMs) })
}
