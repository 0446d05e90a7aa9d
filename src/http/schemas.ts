import { type TObject, type TOptional, type TProperties, type TSchema, Type } from 'typebox'
import { type ErrorCode, errorCatalogue, limitReasons } from './errors.ts'
import { named } from './openapi-components.ts'

/** A JSON object with exactly these properties. */
export const closed = <P extends TProperties>(properties: P, options: Record<string, unknown> = {}): TObject<P> =>
  Type.Object(properties, { additionalProperties: false, ...options })

/** The same properties, all optional. */
export const optional = <P extends TProperties>(properties: P): { [K in keyof P]: TOptional<P[K]> } =>
  Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, Type.Optional(schema)])) as never

/** Optional for callers, but always set for handlers: Ajv fills in the `default`. */
export const defaulted = <T extends TSchema>(schema: T): T => Type.Optional(schema) as unknown as T

/** A trimmed string, empty if nothing is visible; lengths in code points. */
export const trimmedText = (minLength: number, maxLength: number, description: string) =>
  Type.String({ 'x-trim': true, minLength, maxLength, description })

/** What a patterned text must be, in words; secrets are not repeated. */
export const patternForms = new Map<string, { form: string; isSecret: boolean }>()

/** A patterned text whose errors name its form. */
export function formedText(
  pattern: string,
  form: string,
  { isSecret = false, ...options }: Record<string, unknown> = {},
) {
  patternForms.set(pattern, { form, isSecret: isSecret === true })
  return Type.String({ pattern, ...options })
}

/** One of some words, which its error lists, unlike a union's. */
export const oneOf = <const T extends string>(words: readonly T[], options: Record<string, unknown> = {}) =>
  Type.Unsafe<T>({ type: 'string', enum: [...words], ...options })

/** A word in answers that may get new values: clients must expect others (docs/promises.md). */
export const openWord = <const T extends string>(words: readonly T[], description: string) =>
  oneOf(words, { description: `${description}; may grow` })

/** ISO 8601 in UTC with milliseconds. */
export const moment = (description: string) => Type.String({ format: 'date-time', description })

export const nullable = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()])

export const creditUsage = closed(
  {
    used: Type.Integer({ description: 'Credits used and held this month' }),
    limit: Type.Integer({ description: 'Monthly credits of the plan' }),
    remaining: Type.Integer({ description: 'Never negative' }),
  },
  { description: 'The monthly pool after this call', ...named('Credits') },
)

export const usage = closed({ credits: creditUsage })

export const errorBody = closed(
  {
    error: closed({
      code: openWord(Object.keys(errorCatalogue) as ErrorCode[], 'What went wrong, for programs'),
      message: Type.String(),
      details: Type.Optional(Type.Array(closed({ path: Type.String(), message: Type.String() }))),
      reason: Type.Optional(openWord(limitReasons, 'Which limit it is')),
      resetsAt: Type.Optional(moment('With every reason but `rate`: when the pool and the budgets are fresh')),
      requestId: Type.String({ description: 'That of the header `X-Request-Id`; the log has it' }),
      documentation: Type.String({ description: 'The address on this service of a page about the code' }),
    }),
  },
  named('Error'),
)

export const bodyErrors = [
  'INVALID_REQUEST',
  'UNAUTHORIZED',
  'PAYLOAD_TOO_LARGE',
  'UNSUPPORTED_MEDIA_TYPE',
] as const satisfies readonly ErrorCode[]

/** The given errors, plus those of all routes, of routes with a key, and of routes with a body. */
export function errorResponses(...codes: ErrorCode[]): Record<number, TSchema> {
  const limited: ErrorCode[] = codes.includes('UNAUTHORIZED') ? ['FORBIDDEN', 'RATE_LIMITED'] : []
  const slow: ErrorCode[] = codes.includes('PAYLOAD_TOO_LARGE') ? ['REQUEST_TIMEOUT'] : []
  const all: ErrorCode[] = [...codes, ...limited, ...slow, 'INTERNAL_ERROR', 'UNAVAILABLE']
  const byStatus = Map.groupBy(all, (code) => errorCatalogue[code].status)
  return Object.fromEntries(
    [...byStatus].map(([status, some]) => {
      const description = some.map((code) => `${code}: ${errorCatalogue[code].meaning}`).join(' ')
      return [status, { ...errorBody, description }]
    }),
  )
}

/** Responses of a route that answers `data`. @param codes its errors */
const answers = <Data extends TSchema>(data: Data, codes: ErrorCode[]) => ({
  200: closed({ data }),
  ...errorResponses(...codes),
})

/** Responses of a call without a body. @param codes its other errors */
export const reading = <Data extends TSchema>(data: Data, ...codes: ErrorCode[]) =>
  answers(data, ['INVALID_REQUEST', 'UNAUTHORIZED', ...codes])

/** Responses of a call with a body. @param codes its other errors */
export const sending = <Data extends TSchema>(data: Data, ...codes: ErrorCode[]) =>
  answers(data, [...bodyErrors, ...codes])

/** Responses of a changing call that not every key may make. @param codes its other errors */
export const changing = <Data extends TSchema>(data: Data, ...codes: ErrorCode[]) =>
  sending(data, 'SCOPE_EXCEEDED', ...codes)
