/** Words of `sortBy`, for every list and search. */
export type SortOrder = 'relevance' | 'votes' | 'new' | 'name' | 'requests' | 'growing'

export const sortSynonyms: Readonly<Record<string, SortOrder>> = { top: 'votes' }
