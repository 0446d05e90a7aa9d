/** What a caller adds to the likely requests: those of the class maybe, or all that are listed. */
export const includes = ['maybe', 'all'] as const

export type Include = (typeof includes)[number]
