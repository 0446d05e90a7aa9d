// A file of its own: the command reads it, and loads nothing of the service.

/** What to add to the likely requests: those of the class maybe, or all listed ones. */
export const includes = ['maybe', 'all'] as const

export type Include = (typeof includes)[number]
