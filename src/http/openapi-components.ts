import { errorCatalogue } from './errors.ts'

// Shares what many calls repeat, which would triple the document.

interface Response {
  description?: string
  headers?: Record<string, object>
  content?: Record<string, { schema?: object }>
}

interface Parameter {
  in: string
  name: string
}

export interface ApiDocument {
  servers?: { url: string }[]
  paths?: Record<string, Record<string, { parameters?: Parameter[]; responses?: Record<string, Response> }>>
  components?: object
}

type Components = Record<'schemas' | 'parameters' | 'headers' | 'responses', Record<string, object>>

export const nameKeyword = 'x-name'

/** Options that list a schema once, under a name. */
export const named = (name: string) => ({ [nameKeyword]: name })

const pascal = (code: string) =>
  code.toLowerCase().replace(/(?:^|_)(\w)/g, (_all, letter: string) => letter.toUpperCase())

/** Names an error answer by its codes; null for other answers. */
function errorName({ description = '', headers = {} }: Response): string | null {
  const codes = Object.keys(errorCatalogue).filter((code) => new RegExp(`(^| )${code}: `).test(description))
  return codes.length === 0 ? null : [...codes.map(pascal), ...('RateLimit' in headers ? ['WithLimits'] : [])].join('')
}

function addOnce(components: Record<string, object>, name: string, component: object): void {
  const known = components[name]
  if (known !== undefined && JSON.stringify(known) !== JSON.stringify(component))
    throw new Error(`two components are named ${name}`)
  components[name] = component
}

/** Replaces named schemas by references, innermost first. */
function shareSchemas(value: unknown, schemas: Components['schemas']): unknown {
  if (Array.isArray(value)) return value.map((one) => shareSchemas(one, schemas))
  if (typeof value !== 'object' || value === null) return value
  const { [nameKeyword]: name, ...rest } = value as Record<string, unknown>
  const shared = Object.fromEntries(Object.entries(rest).map(([key, inner]) => [key, shareSchemas(inner, schemas)]))
  if (typeof name !== 'string') return shared
  // What an answer adds stays next to the reference.
  const { description, ...schema } = shared
  addOnce(schemas, name, schema)
  return description === undefined
    ? { $ref: `#/components/schemas/${name}` }
    : { $ref: `#/components/schemas/${name}`, description }
}

/** Moves an error answer and its headers to the components. */
function shareResponse(response: Response, { headers: sharedHeaders, responses }: Components): object {
  const name = errorName(response)
  // The answer's description is not repeated in its schema.
  for (const content of Object.values(response.content ?? {})) {
    const { description, ...schema } = (content.schema ?? {}) as { description?: string }
    if (description !== undefined && description === response.description) content.schema = schema
  }
  const headers = Object.fromEntries(
    Object.entries(response.headers ?? {}).map(([header, described]) => {
      addOnce(sharedHeaders, header, described)
      return [header, { $ref: `#/components/headers/${header}` }]
    }),
  )
  const shared = response.headers === undefined ? response : { ...response, headers }
  if (name === null) return shared
  addOnce(responses, name, shared)
  return { $ref: `#/components/responses/${name}` }
}

/** Moves a call's headers to the components. */
function shareParameter(parameter: Parameter, { parameters }: Components): object {
  if (parameter.in !== 'header') return parameter
  addOnce(parameters, parameter.name, parameter)
  return { $ref: `#/components/parameters/${parameter.name}` }
}

/** References repeated named schemas, headers and error answers. @throws if two that differ share a name */
export function shareComponents(document: ApiDocument): object {
  const components: Components = { schemas: {}, parameters: {}, headers: {}, responses: {} }
  const paths = Object.fromEntries(
    Object.entries(document.paths ?? {}).map(([path, methods]) => [
      path,
      Object.fromEntries(
        Object.entries(methods).map(([method, operation]) => {
          const {
            responses = {},
            parameters,
            ...rest
          } = shareSchemas(operation, components.schemas) as typeof operation
          const given = parameters?.map((one) => shareParameter(one, components))
          const shared = Object.entries(responses).map(([status, one]) => [status, shareResponse(one, components)])
          return [method, { ...rest, ...(given && { parameters: given }), responses: Object.fromEntries(shared) }]
        }),
      ),
    ]),
  )
  return { ...document, paths, components: { ...document.components, ...components } }
}
