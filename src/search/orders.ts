// A separate file, because the CLI loads it without the service.

export const searchOrders = ['relevance', 'votes', 'new'] as const

export type SearchOrder = (typeof searchOrders)[number]

/** A search returns at most its best 100, with any paging. */
export const searchCap = 100
