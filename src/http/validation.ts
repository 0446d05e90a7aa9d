import { Ajv, type ErrorObject, type SchemaValidateFunction } from 'ajv'
import addFormats from 'ajv-formats'
import type { FastifyRequest, FastifySchemaCompiler } from 'fastify'
import { nearestWord } from '../runtime/text/slips.ts'
import { isSeen } from '../runtime/text/unseen.ts'
import { dateFormat, dateForms, isDate } from './dates.ts'
import { type ErrorDetail, ServiceError } from './errors.ts'
import { nameKeyword } from './openapi-components.ts'
import { patternForms } from './schemas.ts'

/** Creates a function on its first call. */
export function whenCalled<Parameters extends unknown[], Result>(
  make: () => (...parameters: Parameters) => Result,
): (...parameters: Parameters) => Result {
  let made: ((...parameters: Parameters) => Result) | undefined
  return (...parameters) => {
    made ??= make()
    return made(...parameters)
  }
}

interface ValuePosition {
  parentData: Record<string, unknown>
  parentDataProperty: string | number
}

function createAjv(): Ajv {
  const ajv = new Ajv({
    useDefaults: true,
    removeAdditional: false,
    allErrors: true,
    // Lets errors contain the given value.
    verbose: true,
    allowUnionTypes: true,
  })
  addFormats.default(ajv)
  ajv.addVocabulary([nameKeyword])
  ajv.addFormat('visible-ascii', /^[\x21-\x7e]*$/)
  ajv.addFormat(dateFormat, isDate)
  ajv.addKeyword({
    keyword: 'x-trim',
    type: 'string',
    schemaType: 'boolean',
    modifying: true,
    // Trims white space and invisible characters before counting the length.
    before: 'maxLength',
    errors: false,
    validate: (trim: boolean, value: string, _schema: unknown, position?: ValuePosition) => {
      if (trim && position) position.parentData[position.parentDataProperty] = isSeen(value) ? value.trim() : ''
      return true
    },
  })
  ajv.addKeyword({
    keyword: 'x-synonyms',
    before: 'enum',
    schemaType: 'object',
    modifying: true,
    errors: false,
    validate: (synonyms: Record<string, string>, value: unknown, _schema: unknown, position?: ValuePosition) => {
      const meant = typeof value === 'string' && Object.hasOwn(synonyms, value) ? synonyms[value] : undefined
      if (meant !== undefined && position) position.parentData[position.parentDataProperty] = meant
      return true
    },
  })
  ajv.addKeyword({ keyword: 'x-words', type: 'array', schemaType: 'array', modifying: true, validate: readWords })
  return ajv
}

/** Reads a list of known words in a query string: comma-separated, repeated or both. */
const readWords: SchemaValidateFunction = (words: string[], given: unknown[], _schema, position?: ValuePosition) => {
  const read = given.flatMap((value) => String(value).split(',')).map((word) => word.trim())
  if (position) position.parentData[position.parentDataProperty] = read
  const unknown = read.find((word) => !words.includes(word))
  readWords.errors = [{ keyword: 'enum', params: { allowedValues: words, unknown } }]
  return unknown === undefined
}

/** A plain decimal. `Number` also accepts "", blanks, `1e1`, `0x10`, `Infinity`. */
const plainNumber = { integer: /^-?\d+$/, number: /^-?\d+(?:\.\d+)?$/ } as const

/** Reads query text as its schema's type; returns the text itself if it does not fit. */
function readText(type: unknown, text: string): unknown {
  if (type === 'integer' || type === 'number') {
    // Adding zero turns -0 into 0.
    return plainNumber[type].test(text) ? Number(text) + 0 : text
  }
  if (type === 'boolean' && (text === 'true' || text === 'false')) return text === 'true'
  return text
}

interface ParameterSchema {
  type?: unknown
  items?: { type?: unknown }
}

function readParameter({ type, items }: ParameterSchema, sent: unknown): unknown {
  if (type !== 'array') return typeof sent === 'string' ? readText(type, sent) : sent
  const list: unknown[] = Array.isArray(sent) ? sent : [sent]
  return list.map((item) => (typeof item === 'string' ? readText(items?.type, item) : item))
}

/**
 * Converts query, path and header texts to schema types; others stay, to be refused. Ajv's coercion accepts all that
 * `Number` does, and `Infinity` passes any bound.
 */
function createReader(schema: { properties?: Record<string, ParameterSchema> }) {
  const typed = Object.entries(schema.properties ?? {}).filter(([, { type }]) => type !== 'string')
  return (parameters: Record<string, unknown>): void => {
    for (const [name, parameter] of typed) {
      const sent = parameters[name]
      if (sent !== undefined) parameters[name] = readParameter(parameter, sent)
    }
  }
}

/** Converts all but bodies. Compiles a schema on first use: all of them take a quarter of a start. */
export function createValidatorCompiler(): FastifySchemaCompiler<object> {
  const ajv = createAjv()
  return ({ schema, httpPart }) =>
    whenCalled(() => {
      const validate = ajv.compile(schema)
      const read = httpPart === 'body' ? () => {} : createReader(schema)
      return (sent: Record<string, unknown>) => {
        read(sent)
        return validate(sent) ? true : { error: validate.errors as never }
      }
    })
}

const dotted = (pointer: string) =>
  pointer.replace(/^\//, '').replaceAll('/', '.').replaceAll('~1', '/').replaceAll('~0', '~')

function describe(error: ErrorObject, part: string): ErrorDetail {
  const path = dotted(error.instancePath)
  const inside = (name: string) => (path === '' ? name : `${path}.${name}`)
  const params = error.params as Record<string, unknown>
  switch (error.keyword) {
    case 'additionalProperties': {
      const [name, known] = [String(params.additionalProperty), Object.keys(error.parentSchema?.properties ?? {})]
      return { path: inside(name), message: `unknown field${perhaps(name, known)}` }
    }
    case 'required':
      return { path: inside(String(params.missingProperty)), message: 'is required' }
    default:
      return { path, message: repeated(error, part) ?? sentenceOf(error, params) }
  }
}

/** The fault of a single-valued parameter given repeatedly; null if that is not the fault. */
const repeated = ({ keyword, data }: ErrorObject, part: string) =>
  part === 'querystring' && keyword === 'type' && Array.isArray(data)
    ? `is given ${data.length} times; give it once`
    : null

/** Asks whether a similar word was meant; empty if none is. */
const perhaps = (written: unknown, words: readonly string[]) => {
  const nearest = nearestWord(String(written), words)
  return nearest === null ? '' : `. Did you mean ${nearest}?`
}

const typeNames: Readonly<Record<string, string>> = {
  string: 'a text',
  integer: 'a whole number',
  number: 'a number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
}

const maxShown = 60
/** The faulty value. Texts are shown only for an enum, number or date: elsewhere they may be secrets. */
export function notThis(data: unknown): string {
  if (typeof data === 'object' && data !== null)
    return `, not ${Array.isArray(data) ? typeNames.array : typeNames.object}`
  if (data === undefined) return ''
  if (typeof data !== 'string') return `, not ${data}`
  return `, not ${JSON.stringify(data.length > maxShown ? `${data.slice(0, maxShown)}…` : data)}`
}

/** Hides possible secrets: strings, and values of fields named like secrets, unless a plain value was expected. */
function typeFault({ data, instancePath }: ErrorObject, type: string): string {
  const isPlain = /^(?:integer|number|boolean)$/.test(type)
  const isSecret = /(?:token|key|secret|password)$/i.test(instancePath)
  const isShown = isPlain || (typeof data !== 'string' && !isSecret)
  return `must be ${typeNames[type] ?? type}${isShown || data === null ? notThis(data) : `, not ${typeNames[typeof data]}`}`
}

const counted: Readonly<Record<string, string>> = { Length: 'character', Items: 'item', Properties: 'field' }

/** The fault of a size, by a keyword such as `minLength` or `maximum`. */
function boundOf({ keyword, data }: ErrorObject, limit: unknown): string {
  const most = keyword.startsWith('max') ? 'most' : 'least'
  const unit = counted[keyword.slice(3)]
  if (unit === undefined) return `must be at ${most} ${limit}${notThis(data)}`
  const size = typeof data === 'string' ? [...data].length : Object.keys(data as object).length
  return `must have at ${most} ${limit} ${unit}${limit === 1 ? '' : 's'}, not ${size}`
}

const formats: Readonly<Record<string, string>> = {
  [dateFormat]: dateForms,
  'visible-ascii': 'must be ASCII without spaces',
}

function sentenceOf(error: ErrorObject, params: Record<string, unknown>): string {
  const { allowedValues, allowedValue, format, limit, type, pattern, unknown = error.data } = params
  switch (error.keyword) {
    case 'enum': {
      const words = allowedValues as string[]
      return `must be one of ${words.join(', ')}${notThis(unknown)}${perhaps(unknown, words)}`
    }
    case 'const':
      return `must be ${JSON.stringify(allowedValue)}${notThis(error.data)}`
    case 'type':
      return typeFault(error, String(type))
    case 'format':
      return (formats[String(format)] ?? 'is invalid') + (format === dateFormat ? notThis(error.data) : '')
    case 'pattern': {
      const { form = 'in its form', isSecret = true } = patternForms.get(String(pattern)) ?? {}
      return `must be ${form}${isSecret ? '' : notThis(error.data)}`
    }
    case 'uniqueItems':
      return 'must not have an item twice'
    default:
      return /^(?:min|max)/.test(error.keyword) ? boundOf(error, limit) : (error.message ?? 'is invalid')
  }
}

const sentence = (path: string, message: string) => `${path}: ${message}${message.endsWith('?') ? '' : '.'}`

/** An invalid request's error, with all faults at once. */
export function invalidRequest(part: string, errors: readonly ErrorObject[]): ServiceError {
  // Null is just one of a field's types, and an unknown field may follow from another fault.
  const own = errors.filter(({ keyword, params }) => keyword !== 'anyOf' && params.type !== 'null')
  const isUnknown = ({ keyword }: ErrorObject) => keyword === 'additionalProperties'
  const told = (own.length === 0 ? [...errors] : own).toSorted((a, b) => Number(isUnknown(a)) - Number(isUnknown(b)))
  const details = told.slice(0, 20).map((error) => describe(error, part))
  const [first] = details
  const message = sentence(first?.path || part, first?.message ?? 'is invalid')
  return new ServiceError('INVALID_REQUEST', message, { details })
}

/** A fault no schema can express, in the form of a schema error. */
export const invalidField = (path: string, message: string): ServiceError =>
  new ServiceError('INVALID_REQUEST', sentence(path, message), { details: [{ path, message }] })

export const invalidTimezone = (given: string): ServiceError =>
  invalidField('timezone', `must be a name of a time zone, such as Europe/Berlin${notThis(given)}`)

/** Whether Postgres can store a text: no NUL, no lone surrogate. */
export const isStorable = (text: string) => !text.includes('\0') && text.isWellFormed()

/** Finds text that cannot be stored. Not recursive, because callers control the depth. */
function findUnstorable(root: unknown): string | null {
  const open: [value: unknown, path: string][] = [[root, '']]
  for (let next = open.pop(); next; next = open.pop()) {
    const [value, path] = next
    if (typeof value === 'string' && !isStorable(value)) return path
    // A file is no text, and each byte would be a property.
    if (typeof value !== 'object' || value === null || value instanceof Uint8Array) continue
    for (const [key, inner] of Object.entries(value)) {
      if (!isStorable(key)) return path
      open.push([inner, path === '' ? key : `${path}.${key}`])
    }
  }
  return null
}

/** Refuses requests with unstorable text anywhere. */
export async function refuseUnstorableText(request: FastifyRequest): Promise<void> {
  // Requests to unknown addresses are not read.
  if (request.is404) return
  for (const part of [request.params, request.query, request.body]) {
    const path = findUnstorable(part)
    if (path !== null) throw invalidField(path, 'must not contain NUL or lone surrogate characters')
  }
}
