// What a change of the API document breaks for its clients. The tools for it are Go programs, or do not read OpenAPI 3.1; our documents use few keywords, and one that is
// not known here is a fault.

type Json = null | boolean | number | string | Json[] | { [name: string]: Json }
type Node = { [name: string]: Json }
/** A document, and the schema of a request or an answer in it. */
interface Place {
  document: Node
  schema: Node
}

/** Keywords that say nothing of which values there are. */
const silent = ['description', 'examples', 'title', 'default']
const bounds = {
  minimum: 1,
  minLength: 1,
  minItems: 1,
  minProperties: 1,
  maximum: -1,
  maxLength: -1,
  maxItems: -1,
  maxProperties: -1,
} as const
const exact = ['pattern', 'format', 'uniqueItems']
const known = new Set([
  ...silent,
  ...Object.keys(bounds),
  ...exact,
  ...['type', 'enum', 'properties', 'required', 'items', 'anyOf', 'additionalProperties', '$ref'],
])

const nodeOf = (value: Json | undefined): Node => (value ?? {}) as Node
const listOf = (value: Json | undefined): Json[] => (value ?? []) as Json[]
/** Follows a reference within the document. */
function resolve(document: Node, value: Json | undefined): Node {
  const node = nodeOf(value)
  if (typeof node.$ref !== 'string') return node
  return node.$ref
    .split('/')
    .slice(1)
    .reduce((found, name) => nodeOf(found[name]), document)
}

const typesOf = ({ type }: Node): Json[] => [type ?? null].flat()

/** What a description says of a list of words in answers that may have more of them one day: clients expect others. */
const mayGrow = ({ description }: Node) => /may grow/.test(String(description ?? ''))

/** Whether the values of `narrow` may be others than those of `wide`, but for what `isAnswer` allows: an answer may get properties, and words that may grow. */
function faultsOf(narrow: Place, wide: Place, path: string, isAnswer: boolean): string[] {
  const [few, many] = [narrow, wide].map(({ document, schema }) => resolve(document, schema)) as [Node, Node]
  const unknown = [few, many].flatMap(Object.keys).filter((name) => !known.has(name))
  if (unknown.length > 0) return [`${path}: ${unknown.join(', ')} is not known to this check`]
  const inside = (few: Json | undefined, many: Json | undefined, at: string) =>
    faultsOf({ ...narrow, schema: nodeOf(few) }, { ...wide, schema: nodeOf(many) }, at, isAnswer)
  if (few.anyOf || many.anyOf) {
    const alternatives = listOf(many.anyOf ?? [many])
    return listOf(few.anyOf ?? [few]).flatMap((one) => {
      const faults = alternatives.map((other) => inside(one, other, path))
      return faults.some((found) => found.length === 0) ? [] : faults.sort((a, b) => a.length - b.length)[0]!
    })
  }
  const faults: string[] = []
  const types = typesOf(many)
  if (
    many.type !== undefined &&
    !typesOf(few).every((type) => types.includes(type) || (type === 'integer' && types.includes('number')))
  )
    return [`${path}: the type ${JSON.stringify(few.type ?? 'any')} is not within ${JSON.stringify(many.type)}`]
  if (many.enum && !(isAnswer && mayGrow(many))) {
    const others = few.enum ? listOf(few.enum).filter((word) => !listOf(many.enum).includes(word)) : ['any other']
    if (others.length > 0) faults.push(`${path}: ${others.join(', ')} is not of its words`)
  }
  for (const [name, sign] of Object.entries(bounds)) {
    if (many[name] !== undefined && (few[name] === undefined || (Number(few[name]) - Number(many[name])) * sign < 0))
      faults.push(`${path}: ${name} is ${few[name] ?? 'gone'}, and was ${many[name]}`)
  }
  for (const name of exact)
    if (many[name] !== undefined && few[name] !== many[name]) faults.push(`${path}: ${name} differs`)
  if (many.items) faults.push(...inside(few.items, many.items, `${path}[]`))
  return [...faults, ...faultsOfProperties(few, many, path, isAnswer, inside)]
}

type Inside = (few: Json | undefined, many: Json | undefined, at: string) => string[]

function faultsOfProperties(few: Node, many: Node, path: string, isAnswer: boolean, inside: Inside): string[] {
  const [fewOf, manyOf] = [nodeOf(few.properties), nodeOf(many.properties)]
  const required = listOf(many.required)
    .filter((name) => !listOf(few.required).includes(name))
    .map((name) => `${path}.${name}: ${isAnswer ? 'is not always there any more' : 'is newly required'}`)
  const wasOpen = few.additionalProperties !== false && many.additionalProperties === false
  const shut = !isAnswer && wasOpen ? [`${path}: refuses properties that it does not know`] : []
  const gone = isAnswer
    ? Object.keys(manyOf).filter((name) => !(name in fewOf))
    : Object.keys(fewOf).filter((name) => !(name in manyOf) && many.additionalProperties === false)
  const fallbackOf = (properties: Node, name: string) => JSON.stringify(nodeOf(properties[name]).default)
  const defaults = Object.keys(isAnswer ? {} : fewOf)
    .filter((name) => fallbackOf(fewOf, name) !== undefined && fallbackOf(fewOf, name) !== fallbackOf(manyOf, name))
    .map((name) => `${path}.${name}: its default differs`)
  const others = Object.keys(fewOf).flatMap((name) =>
    name in manyOf ? inside(fewOf[name], manyOf[name], `${path}.${name}`) : [],
  )
  const rest = nodeOf(many.additionalProperties).type || nodeOf(many.additionalProperties).anyOf
  const ofRest = rest ? inside(few.additionalProperties, many.additionalProperties, `${path}{}`) : []
  return [...required, ...shut, ...defaults, ...gone.map((name) => `${path}.${name}: is gone`), ...others, ...ofRest]
}

interface Side {
  document: Node
  operation: Node
}

function faultsOfParameters(old: Side, fresh: Side, call: string): string[] {
  const keyed = ({ operation, document }: Side) =>
    new Map(
      listOf(operation.parameters).map((given) => {
        const parameter = resolve(document, given)
        return [`${parameter.in} ${parameter.name}`, parameter]
      }),
    )
  const [before, after] = [keyed(old), keyed(fresh)]
  const removed = [...before.keys()].filter((name) => !after.has(name)).map((name) => `${call} ${name}: is gone`)
  const needed = [...after].flatMap(([name, { required }]) =>
    required === true && before.get(name)?.required !== true ? [`${call} ${name}: is newly required`] : [],
  )
  const narrowed = [...before].flatMap(([name, parameter]) => {
    const now = after.get(name)
    if (now === undefined) return []
    const [was, is] = [nodeOf(parameter.schema), nodeOf(now.schema)]
    const fallback =
      was.default !== undefined && was.default !== is.default ? [`${call} ${name}: its default differs`] : []
    return [
      ...fallback,
      ...faultsOf(
        { document: old.document, schema: was },
        { document: fresh.document, schema: is },
        `${call} ${name}`,
        false,
      ),
    ]
  })
  return [...removed, ...needed, ...narrowed]
}

function faultsOfBodies(old: Side, fresh: Side, call: string): string[] {
  const [before, after] = [old, fresh].map(({ document, operation }) => resolve(document, operation.requestBody)) as [
    Node,
    Node,
  ]
  if (after.required === true && before.required !== true) return [`${call} body: is newly required`]
  return Object.entries(nodeOf(before.content)).flatMap(([type, media]) => {
    const now = nodeOf(after.content)[type]
    if (now === undefined) return [`${call} body: ${type} is not taken any more`]
    const [was, is] = [nodeOf(nodeOf(media).schema), nodeOf(nodeOf(now).schema)]
    return faultsOf(
      { document: old.document, schema: was },
      { document: fresh.document, schema: is },
      `${call} body`,
      false,
    )
  })
}

function faultsOfAnswers(old: Side, fresh: Side, call: string): string[] {
  return Object.entries(nodeOf(old.operation.responses)).flatMap(([status, given]) => {
    const now = nodeOf(fresh.operation.responses)[status]
    // A refusal that does not happen any more breaks nobody.
    if (now === undefined) return status.startsWith('2') ? [`${call} ${status}: is gone`] : []
    const [before, after] = [resolve(old.document, given), resolve(fresh.document, now)]
    const headers = Object.keys(nodeOf(before.headers)).filter((name) => !(name in nodeOf(after.headers)))
    const contents = Object.entries(nodeOf(before.content)).flatMap(([type, media]) => {
      const is = nodeOf(after.content)[type]
      if (is === undefined) return [`${call} ${status}: ${type} is gone`]
      return faultsOf(
        { document: fresh.document, schema: nodeOf(nodeOf(is).schema) },
        { document: old.document, schema: nodeOf(nodeOf(media).schema) },
        `${call} ${status}`,
        true,
      )
    })
    return [...headers.map((name) => `${call} ${status}: the header ${name} is gone`), ...contents]
  })
}

/** @returns a sentence for each thing of a client of `old` that does not work with `fresh` */
export function breakingChanges(old: object, fresh: object): string[] {
  const [before, after] = [old, fresh] as [Node, Node]
  return Object.entries(nodeOf(before.paths)).flatMap(([path, methods]) =>
    Object.entries(nodeOf(methods)).flatMap(([method, operation]) => {
      const call = `${method.toUpperCase()} ${path}`
      const now = nodeOf(nodeOf(after.paths)[path])[method]
      if (now === undefined) return [`${call}: is gone`]
      const [was, is] = [
        { document: before, operation: nodeOf(operation) },
        { document: after, operation: nodeOf(now) },
      ]
      const named = was.operation.operationId === is.operation.operationId ? [] : [`${call}: operationId differs`]
      const opened = (side: Side) => listOf(side.operation.security).map((one) => JSON.stringify(one))
      const newly = opened(was).length === 0 && opened(is).length > 0 ? [`${call}: newly needs a key`] : []
      const closed = opened(was)
        .filter((one) => !opened(is).includes(one))
        .map((one) => `${call}: ${one} does not open it any more`)
      return [
        ...named,
        ...newly,
        ...closed,
        ...faultsOfParameters(was, is, call),
        ...faultsOfBodies(was, is, call),
        ...faultsOfAnswers(was, is, call),
      ]
    }),
  )
}
