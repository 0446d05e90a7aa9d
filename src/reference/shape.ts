/** The parts of JSON Schema that the document uses. */
export interface Schema {
  type?: string | string[]
  format?: string
  enum?: unknown[]
  const?: unknown
  description?: string
  default?: unknown
  minimum?: number
  maximum?: number
  minLength?: number
  maxLength?: number
  required?: string[]
  properties?: Record<string, Schema>
  additionalProperties?: boolean | Schema
  patternProperties?: Record<string, Schema>
  items?: Schema
  anyOf?: Schema[]
}

/** The bounds and the default of a value, as text. */
export function boundsOf({ minimum, maximum, minLength, maxLength, default: fallback }: Schema): string {
  const between = (low: number | undefined, high: number | undefined, unit: string) => {
    if (low === undefined && high === undefined) return []
    if (high === undefined) return [`at least ${low}${unit}`]
    return [low === undefined ? `at most ${high}${unit}` : `${low} to ${high}${unit}`]
  }
  return [
    ...between(minimum, maximum, ''),
    ...between(minLength, maxLength, ' characters'),
    ...(fallback === undefined ? [] : [`default ${JSON.stringify(fallback)}`]),
  ].join(', ')
}

const mapValueOf = ({ additionalProperties, patternProperties }: Schema): Schema | null =>
  (typeof additionalProperties === 'object' ? additionalProperties : Object.values(patternProperties ?? {})[0]) ?? null

function objectShape(schema: Schema, indent: string): string {
  const inner = `${indent}  `
  const value = mapValueOf(schema)
  const entries = Object.entries(schema.properties ?? {}).map(([name, property]) => {
    const mark = schema.required?.includes(name) ? '' : '?'
    const comment = property.description ? `  // ${property.description.replaceAll('\n', ' ')}` : ''
    return `${inner}${name}${mark}: ${shapeOf(property, inner)}${comment}`
  })
  if (value !== null) entries.push(`${inner}[name]: ${shapeOf(value, inner)}`)
  return entries.length === 0 ? '{}' : `{\n${entries.join('\n')}\n${indent}}`
}

/** The type of a value in the notation of TypeScript, with the meaning of its parts as comments. */
export function shapeOf(schema: Schema, indent = ''): string {
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(' | ')
  if (schema.const !== undefined) return JSON.stringify(schema.const)
  if (schema.anyOf) return schema.anyOf.map((part) => shapeOf(part, indent)).join(' | ')
  if (schema.type === 'object' || schema.properties) return objectShape(schema, indent)
  if (schema.type === 'array') {
    const item = shapeOf(schema.items ?? {}, indent)
    return item.includes(' | ') ? `(${item})[]` : `${item}[]`
  }
  const type = [schema.type ?? 'any'].flat().join(' | ')
  return schema.format ? `${type} (${schema.format})` : type
}
