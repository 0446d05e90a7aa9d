/** The UTC calendar month of a moment, as `YYYY-MM`. */
export const monthOf = (moment: Date): string => moment.toISOString().slice(0, 7)

/** The first instant after a moment's month: when its pool is fresh again. */
export const endOfMonth = (moment: Date): Date =>
  new Date(Date.UTC(moment.getUTCFullYear(), moment.getUTCMonth() + 1, 1))
