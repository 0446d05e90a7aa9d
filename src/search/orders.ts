// A file of its own: the command reads it, and loads nothing of the service.

export const searchOrders = ['relevance', 'votes', 'new'] as const

export type SearchOrder = (typeof searchOrders)[number]

/** A search returns at most its best 100, however it is paged. */
export const searchCap = 100
