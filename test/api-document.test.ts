import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'

// Holds (HTTP and secrets): the API document has one form each of ids, lists and paging

interface Schema {
  $ref?: string
  properties?: Record<string, Schema>
}
interface Operation {
  parameters?: { in: string; name: string }[]
  responses: Record<string, { content?: Record<string, { schema?: Schema }> }>
}
const document = JSON.parse(readFileSync(new URL('../client/openapi.json', import.meta.url), 'utf8')) as {
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, Schema> }
}
const operations = Object.entries(document.paths)
  .filter(([path]) => path.startsWith('/api/'))
  .flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      call: `${method.toUpperCase()} ${path}`,
      path,
      operation,
    })),
  )

const resolved = (schema: Schema = {}): Schema =>
  schema.$ref === undefined ? schema : resolved(document.components.schemas[schema.$ref.split('/').at(-1)!])
const dataOf = ({ responses }: Operation): Schema =>
  resolved(resolved(responses['200']?.content?.['application/json']?.schema).properties?.data)

/** The names of all properties in a part of the document. */
function namesIn(part: unknown): string[] {
  if (typeof part !== 'object' || part === null) return []
  const own = 'properties' in part ? Object.keys(part.properties as object) : []
  return [...own, ...Object.values(part).flatMap(namesIn)]
}

it('ids are named after what they are of, in paths and bodies', () => {
  // A topic and an import are their own names, and a part of the verification is a word.
  const named = operations.flatMap(({ path }) => [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!))
  expect(new Set(named.filter((name) => !name.endsWith('Id')))).toEqual(new Set(['topic', 'name', 'part']))
  // `_id` of a request is the contract's. A purge and a lift may name a request by its id on its platform.
  const calls = operations.filter(({ call }) => !/^POST \/api\/admin\/(purge|suppressions\/lift)$/.test(call))
  const names = [...calls.flatMap(({ operation }) => namesIn(operation)), ...namesIn(document.components)]
  expect(new Set(names.filter((name) => /^id$|_/.test(name)))).toEqual(new Set(['_id']))
})

it('lists have results, and are paged by a cursor', () => {
  // The contract pages searches by offset; what is similar to a request is the most similar, at most so many.
  const others = ['POST /api/v1/requests/search', 'GET /api/v1/requests/{requestId}/similar']
  const lists = operations.filter(
    ({ call, operation }) => !others.includes(call) && 'results' in (dataOf(operation).properties ?? {}),
  )
  expect(lists.length).toBeGreaterThan(20)
  for (const { call, operation } of lists) {
    expect(Object.keys(dataOf(operation).properties!), call).toEqual(
      expect.arrayContaining(['results', 'hasMore', 'cursor']),
    )
    const query = (operation.parameters ?? []).filter((parameter) => parameter.in === 'query').map(({ name }) => name)
    expect(query, call).toEqual(expect.arrayContaining(['limit', 'cursor']))
  }
  const paged = operations.filter(({ operation }) => 'cursor' in (dataOf(operation).properties ?? {}))
  expect(paged.map(({ call }) => call)).toEqual(lists.map(({ call }) => call))
})
