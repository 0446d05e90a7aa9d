import type { Outbound } from '../../../http/outbound/outbound.ts'
import { asFields, asList, asString, type Fields } from '../../../platforms/content/fields.ts'
import { TrackerError } from '../tracker.ts'
import { callTracker, limitWords, refusedFields, single, waitOf } from './calls.ts'

/** What known error codes mean. Others may be the tracker's fault, with an unknown result. */
const refusals = new Set([
  'FORBIDDEN',
  'UNPROCESSABLE',
  'INSUFFICIENT_SCOPES',
  'SAML_FORBIDDEN',
  'INPUT_ERROR',
  'INVALID_INPUT',
  'USER_ERROR',
  'FEATURE_NOT_ACCESSIBLE',
  'GRAPHQL_VALIDATION_FAILED',
])

/** The codes of errors: `type` (GitHub), `extensions.code` (Linear). A limit may be only in the message. */
const wordsOf = (fields: Fields): string[] =>
  (asList(fields.errors) ?? []).map((one) => {
    const error = asFields(one)
    if (limitWords.test(asString(error?.message) ?? '')) return 'RATE_LIMITED'
    const word = asString(error?.type) ?? asString(asFields(error?.extensions)?.code) ?? ''
    return word.toUpperCase().replaceAll(' ', '_')
  })

export interface GraphqlCall {
  service: string
  url: string
  authorization: string
  query: string
  variables: Record<string, unknown>
  /** Whether missing objects are null in the data, without an error. */
  allowsMissing?: boolean
  signal: AbortSignal
}

/** Calls a GraphQL endpoint. @returns the fields of `data`. @throws TrackerError */
export async function callGraphql(
  outbound: Outbound,
  { service, url, authorization, query, variables, allowsMissing = false, signal }: GraphqlCall,
): Promise<Fields> {
  const fields = single(
    await callTracker(outbound, {
      ...{ service, url, signal, method: 'POST', headers: { authorization } },
      body: { query, operationName: /(?:query|mutation) (\w+)/.exec(query)?.[1], variables },
      explain: (answered, answer) => {
        const words = wordsOf(answered)
        if (words.length === 0) return null
        if (words.some((word) => word === 'RATE_LIMITED' || word === 'RATELIMITED'))
          return new TrackerError('tracker', `${service} asks to wait.`, waitOf(answer))
        if (words.includes('AUTHENTICATION_ERROR'))
          return new TrackerError('tracker', `${service} does not take the token.`)
        if (words.every((word) => word === 'NOT_FOUND'))
          return allowsMissing
            ? null
            : new TrackerError('missing', `${service} does not find it, or the token does not see it.`)
        const word = words.find((one) => refusals.has(one))
        // Our own words, so they can be shown.
        if (word !== undefined)
          return new TrackerError('refused', `${service} refuses it (${word})${refusedFields(answered)}.`)
        return answer.status >= 400 ? null : new TrackerError('unclear', `${service} failed.`)
      },
    }),
  )
  const data = asFields(fields.data)
  if (data === null) throw new TrackerError('unclear', `${service} gave an answer without data.`)
  return data
}
