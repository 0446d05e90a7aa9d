/** A value as a text that is the same whatever the order of its fields and lists: a database stores them in an order of its own. */
const canonical = (value: unknown): string =>
  JSON.stringify(value, (_name, inner: unknown) =>
    Array.isArray(inner)
      ? [...inner].sort()
      : typeof inner === 'object' && inner !== null
        ? Object.fromEntries(Object.entries(inner).sort(([one], [other]) => (one < other ? -1 : 1)))
        : inner,
  )

/** Whether two lists, as the service stores them, are the same. */
export const isSameList = (one: unknown, other: unknown): boolean => canonical(one) === canonical(other)
