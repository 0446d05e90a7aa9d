import { Type } from 'typebox'
import { defaulted } from './schemas.ts'
import { type SortOrder, sortSynonyms } from './sort-words.ts'

/** The parameter `sortBy` of a route that has these orders. Handlers never see a synonym: Ajv replaces it. */
export const sortOrder = <const Order extends SortOrder>(
  orders: readonly Order[],
  { description, ...options }: { description: string; default?: NoInfer<Order> },
) =>
  Type.Unsafe<Order>({
    type: 'string',
    'x-synonyms': sortSynonyms,
    enum: [...orders],
    description: `${description}; \`top\` is accepted for \`votes\``,
    ...options,
  })

/** The same with a default, which Ajv fills in. */
export const sortByParameter = <const Order extends SortOrder>(
  orders: readonly Order[],
  options: { description: string; default: NoInfer<Order> },
) => defaulted(sortOrder<Order>(orders, options))
