/** The words of `sortBy`, the same in every list and search. */
export type SortOrder = 'relevance' | 'votes' | 'new' | 'name' | 'requests' | 'growing'

/** Words that are accepted for another one. */
export const sortSynonyms: Readonly<Record<string, SortOrder>> = { top: 'votes' }
