// A separate file, because the CLI loads it without the service.

/** What to add to the likely requests: those of the class maybe, or all listed ones. */
export const includes = ['maybe', 'all'] as const

export type Include = (typeof includes)[number]
