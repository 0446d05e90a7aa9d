function canonical(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(canonical)
  if (typeof value !== 'object' || value === null) return value
  const properties = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1))
  return Object.fromEntries(properties.map(([name, inner]) => [name, canonical(inner)]))
}

/** Equal values give equal text, whatever the order of properties. @param indent spaces per level */
export const canonicalJson = (value: unknown, indent = 0): string =>
  JSON.stringify(canonical(value), null, indent) ?? 'null'
